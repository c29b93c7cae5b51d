//! The steps of a recording, kept small: a suite of 10,000 cases is held in memory as a whole.

use super::recording::steps_of;
use super::{Intent, Step};
use crate::doc::{At, Comments, Document, Form, Report, Source};
use std::collections::HashSet;
use std::sync::Arc;

/// Steps as checked JSON text, with what is asked of all cases at once beside it. A tree of the same steps takes
/// five times the room.
#[derive(Clone)]
pub struct Steps {
    outline: Box<[(Intent, Arc<str>)]>,
    json: Box<str>,
}

impl Steps {
    /// Keeps steps that have been read from the list at `at`.
    pub(super) fn pack(at: &At<'_>, steps: &[Step]) -> Self {
        let outline = steps.iter().map(|step| (step.intent, Arc::from(step.tool.as_str()))).collect();
        Self { outline, json: at.node().to_json().to_string().into_boxed_str() }
    }

    /// Names that many recordings hold are kept once.
    pub(super) fn share_names(&mut self, names: &mut HashSet<Arc<str>>) {
        for (_, tool) in &mut self.outline {
            match names.get(tool) {
                Some(shared) => *tool = Arc::clone(shared),
                None => drop(names.insert(Arc::clone(tool))),
            }
        }
    }

    /// Intent and tool of each step.
    pub fn outline(&self) -> impl Iterator<Item = (Intent, &str)> {
        self.outline.iter().map(|(intent, tool)| (*intent, tool.as_ref()))
    }

    pub fn len(&self) -> usize {
        self.outline.len()
    }

    pub fn is_empty(&self) -> bool {
        self.outline.is_empty()
    }

    /// The steps. They are made anew at each call: take them once per attempt.
    pub fn read(&self) -> Vec<Step> {
        let source =
            Source { file: Default::default(), text: self.json.to_string(), form: Form::Json, first_line: 1 };
        let report = Report::default();
        Document::parse(&source, Comments::Refused, &report)
            .and_then(|document| steps_of(&At::root(&document, &report)))
            .expect("the text was written from steps that were read")
    }
}

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.json)
    }
}
