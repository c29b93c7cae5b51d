//! What the cases hold, counted in one walk over their steps.

use crate::agent::Toolbox;
use crate::case::{Case, Intent, Need};
use std::collections::{BTreeMap, BTreeSet};

/// How many names a line spells out.
const NAMES: usize = 5;

/// Counts over all recordings.
#[derive(Debug, Default)]
pub(super) struct Census {
    pub recordings: usize,
    pub steps: usize,
    needs: usize,
    /// Needs of `end` and `pages` alone.
    blunt: usize,
    evidence: usize,
    tools: BTreeMap<String, Asked>,
}

/// What recordings ask of one tool.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub steps: usize,
    pub reads: usize,
    /// Arguments, with the cases that send them.
    arguments: BTreeMap<String, BTreeSet<String>>,
}

impl Census {
    pub fn of(cases: &[Case]) -> Self {
        let mut census = Self::default();
        for case in cases {
            for recording in &case.recordings {
                census.recordings += 1;
                for step in recording.steps.read() {
                    census.steps += 1;
                    census.evidence += step.evidence.len();
                    if let Some(need) = &step.need {
                        census.needs += 1;
                        census.blunt += usize::from(is_blunt(need));
                    }
                    let asked = census.tools.entry(step.tool).or_default();
                    asked.steps += 1;
                    asked.reads += usize::from(step.intent == Intent::Read);
                    for (name, _) in step.arguments {
                        asked.arguments.entry(name).or_default().insert(case.id.clone());
                    }
                }
            }
        }
        census
    }

    pub fn asked(&self, tool: &str) -> Option<&Asked> {
        self.tools.get(tool)
    }

    /// What cannot be seen with these needs.
    pub fn warnings(&self) -> Option<String> {
        if self.steps == 0 || self.evidence > 0 {
            return None;
        }
        if self.needs == 0 {
            return Some(
                "no step has a need or evidence, so nothing tells when content is lost; give `read` steps a \
                 `\"need\": {\"contains\": [...]}` with what the agent used"
                    .to_owned(),
            );
        }
        (self.blunt == self.needs).then(|| {
            "all needs of the suite are `end` or `pages`, which cannot see lost content; name what the agent used with \
             `contains`, `reach` or `items`"
                .to_owned()
        })
    }

    /// Arguments that a side's schemas do not know: they are sent all the same.
    pub fn unknown_arguments(&self, side: &str, toolbox: &Toolbox) -> Vec<String> {
        let mut warnings = Vec::new();
        for tool in toolbox.iter().filter(|tool| tool.may_call && tool.is_listed) {
            let Some(asked) = self.tools.get(&tool.name) else { continue };
            for name in tool.schema.unknown(asked.arguments.keys()) {
                let cases: Vec<&str> = asked.arguments[&name].iter().map(String::as_str).collect();
                let near = crate::doc::did_you_mean(&name, tool.schema.names());
                warnings.push(format!(
                    "the {side}'s schema of `{}` does not know the argument `{name}`, which is sent all the same{}; cases: {}",
                    tool.name,
                    near.map(|near| format!("; {near}")).unwrap_or_default(),
                    named(&cases)
                ));
            }
        }
        warnings
    }
}

/// Whether a need says only how far to read, not what must have been seen.
fn is_blunt(need: &Need) -> bool {
    need.contains.is_empty() && need.coverage.is_none() && need.reach.is_none() && need.items.is_none()
}

/// The first names, and how many more there are.
pub(super) fn named(names: &[&str]) -> String {
    let more = names.len().saturating_sub(NAMES);
    let first = names[..names.len() - more].join(", ");
    if more == 0 { first } else { format!("{first} and {more} more") }
}
