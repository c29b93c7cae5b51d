//! One case from its JSON text.

use super::recording::recording;
use super::{Case, Recording, id};
use crate::doc::{At, Comments, Content, Document, Form, Position, Problem, Report, Source, read_text};
use crate::text::sha256_hex;
use crate::words::Split;
use std::collections::BTreeMap;
use std::path::Path;

const KEYS: [&str; 8] =
    ["format_version", "id", "split", "cluster", "tags", "question", "gold", "recordings"];

/// What was read of one case.
pub(super) struct ReadCase {
    /// The id and its place, as far as it could be read: a case with faults takes its id all the same.
    pub id: Option<(String, Position)>,
    pub case: Option<Case>,
    /// Without any, there is a case.
    pub problems: Vec<Problem>,
}

/// Reads one case. `shown` is the file as messages name it, `line` the line of a file of many cases.
pub(super) fn case(bytes: Vec<u8>, shown: &Path, line: Option<u64>) -> ReadCase {
    let sha256 = sha256_hex(&bytes);
    let first_line = line.unwrap_or(1);
    let (text, mark) = match read_text(bytes, shown, first_line) {
        Ok(read) => read,
        Err(problems) => return ReadCase { id: None, case: None, problems: problems.0 },
    };
    let source = Source { file: shown.to_owned(), text, form: Form::Json, first_line };
    let report = Report::default();
    let Some(document) = Document::parse(&source, Comments::Refused, &report) else {
        let problems = mark.into_iter().chain(report.into_problems(&source)).collect();
        return ReadCase { id: None, case: None, problems };
    };
    let case = from_root(&At::root(&document, &report));
    let id = document.root.entry("id").and_then(|entry| match &entry.node.content {
        Content::Text(id) => Some((id.clone(), source.position(entry.node.span.start))),
        _ => None,
    });
    let problems: Vec<Problem> = mark.into_iter().chain(report.into_problems(&source)).collect();
    let case = case.filter(|_| problems.is_empty());
    ReadCase { id, case: case.map(|case| Case { file: shown.to_owned(), line, sha256, ..case }), problems }
}

fn from_root(root: &At<'_>) -> Option<Case> {
    let table = root.table(&KEYS)?;
    if let Some(at) = table.must("format_version", "`1`") {
        at.whole(1..=1);
    }
    let id = table.must("id", "the id of the case").and_then(|at| id::id(&at));
    let text = |key: &str| table.get(key).and_then(|at| at.text().map(str::to_owned));
    let cluster = text("cluster");
    text("question");
    let split = table.get("split").map(|at| at.choice(Split::ALL, Split::as_str));
    let tags = table.get("tags").and_then(|at| at.texts(0)).unwrap_or_default();
    let recordings = table.must("recordings", "a list of recordings").and_then(|at| recordings(&at));
    let id = id?;
    let split = match split {
        Some(split) => split?,
        None => id::default_split(&id),
    };
    Some(Case {
        split,
        id,
        cluster,
        tags,
        recordings: recordings?,
        file: Default::default(),
        line: None,
        sha256: String::new(),
    })
}

fn recordings(at: &At<'_>) -> Option<Vec<Recording>> {
    let items = at.items("a list of recordings", 1)?;
    let read: Vec<Option<Recording>> =
        items.iter().enumerate().map(|(index, item)| recording(item, index)).collect();
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, recording) in read.iter().enumerate() {
        let Some(recording) = recording else { continue };
        if let Some(earlier) = first.insert(&recording.id, index) {
            items[index].problem(
                format!("the recording id `{}` is taken by recording {}", recording.id, earlier + 1),
                Some("each id once in a case".to_owned()),
                None,
            );
        }
    }
    read.into_iter().collect()
}
