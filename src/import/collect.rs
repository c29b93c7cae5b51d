//! An import as a whole: which files hold wanted calls, what their tools are, and the cases of their tasks.

use super::chains::chains;
use super::claude::Wanted;
use super::draft::{Draft, DraftOptions, drafts};
use super::files::{Input, inputs};
use super::format::Format;
use super::group::{Case, Grouping, cases};
use super::learn::{Learned, Lessons};
use super::model::{EventKind, Session, SessionBuilder};
use super::problems::ImportProblems;
use super::read::read;
use super::scope::Scope;
use super::tools::{ToolKey, Tools};
use crate::suite::Suite;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What to import, and how.
#[derive(Debug)]
pub struct ImportOptions<'s> {
    pub paths: &'s [PathBuf],
    /// Only calls of these servers; empty for all.
    pub servers: &'s [String],
    /// Declarations of tools come from here.
    pub suite: &'s Suite,
    pub drafts: DraftOptions,
    pub grouping: Grouping,
    /// Prompts are kept as questions.
    pub keep_text: bool,
}

/// What came of an import.
#[derive(Debug)]
pub struct Imported {
    pub cases: Vec<Case>,
    pub tools: Tools,
    pub learned: BTreeMap<ToolKey, Learned>,
    pub problems: ImportProblems,
    /// Files that are transcripts.
    pub files: u64,
    /// Calls that repeat the history of another file.
    pub repeated_calls: u64,
    /// No call of a server was found, and the client's own tools were taken instead.
    pub own_tools: bool,
}

/// A file with wanted calls.
struct Found {
    input: Input,
    format: Format,
}

/// Reads transcripts and makes cases of them. Files are read up to three times, so that no more than one
/// conversation is held in memory: for the calls alone, for how reads went on, and as a whole.
pub fn import(options: &ImportOptions<'_>) -> Imported {
    let mut problems = ImportProblems::default();
    let inputs = inputs(options.paths, &mut problems);
    let mut look = Look {
        scope: Scope { servers: options.servers.to_vec(), own_tools: false },
        tools: Tools::default(),
        found: Vec::new(),
        files: 0,
        problems: ImportProblems::default(),
    };
    look.at(&inputs);
    if look.tools.is_empty() && options.servers.is_empty() {
        look = Look {
            scope: Scope { servers: Vec::new(), own_tools: true },
            tools: Tools::default(),
            found: Vec::new(),
            files: 0,
            problems: ImportProblems::default(),
        };
        look.at(&inputs);
    }
    let Look { scope, mut tools, found, files, problems: of_others } = look;
    problems.add(of_others);
    tools.make(options.suite, BTreeMap::new(), BTreeSet::new());
    let lessons = lessons(&found, &scope, &tools);
    let learned = lessons.learned();
    let not_inferred =
        learned.iter().filter(|(_, learned)| !learned.is_inferred && !learned.rules.is_empty());
    let rules = not_inferred.map(|(key, learned)| (key.clone(), learned.rules.clone())).collect();
    tools.make(options.suite, rules, lessons.offer_more);

    let mut made: Vec<(PathBuf, Option<String>, Draft)> = Vec::new();
    for Found { input, format } in &found {
        for session in sessions(input, Wanted::All, &mut problems) {
            let agent = session.about.agent_id.clone();
            let drafts = drafts(&session, &scope, &tools, format.as_str(), options.drafts);
            made.extend(drafts.into_iter().map(|draft| (input.path.clone(), agent.clone(), draft)));
        }
    }
    let (cases, repeated_calls) = cases(made, &options.grouping, options.keep_text);
    Imported { cases, tools, learned, problems, files, repeated_calls, own_tools: scope.own_tools }
}

/// The first look at all files: which hold wanted calls, and what these tell of their tools.
struct Look {
    scope: Scope,
    tools: Tools,
    found: Vec<Found>,
    files: u64,
    /// Of files that are not read again.
    problems: ImportProblems,
}

impl Look {
    fn at(&mut self, inputs: &[Input]) {
        let wanted = if self.scope.own_tools { Wanted::All } else { Wanted::McpCalls };
        for input in inputs {
            let mut problems = ImportProblems::default();
            let mut has_calls = false;
            let format = read(input, wanted, &mut problems, &mut |event| {
                if let EventKind::Call(call) = &event.kind
                    && let Some(server) = self.scope.server_of(call)
                {
                    self.tools.note(server, &call.tool, &call.arguments);
                    has_calls = true;
                }
            });
            self.files += u64::from(format.is_some());
            match format {
                Some(format) if has_calls => self.found.push(Found { input: input.clone(), format }),
                _ => self.problems.add(problems.losses()),
            }
        }
    }
}

/// How the reads of these files went on. What cannot be read is noted when they are read as a whole.
fn lessons(found: &[Found], scope: &Scope, tools: &Tools) -> Lessons {
    let wanted = if scope.own_tools { Wanted::All } else { Wanted::McpCalls };
    let mut lessons = Lessons::default();
    for Found { input, .. } in found {
        for session in sessions(input, wanted, &mut ImportProblems::default()) {
            lessons.take(&chains(&session, scope, tools), &session);
        }
    }
    lessons
}

/// The conversations of a file.
pub fn sessions(input: &Input, wanted: Wanted, problems: &mut ImportProblems) -> Vec<Session> {
    let mut builder = SessionBuilder::new(&input.path);
    read(input, wanted, problems, &mut |event| builder.take(event));
    builder.finish()
}

/// The stem of a file's name; of a session's id its beginning.
pub(super) fn short_name(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let is_uuid = stem.len() == 36 && stem.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    if is_uuid { stem[..8].to_owned() } else { stem }
}
