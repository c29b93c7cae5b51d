//! All cases of a suite.

use super::Case;
use super::read::{self, ReadCase};
use super::walk::{Walk, walk};
use crate::doc::{Problem, Problems, open_file, read_bytes, unreadable};
use crate::suite::Suite;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The cases of a suite.
#[derive(Debug)]
pub struct Loaded {
    /// By id.
    pub cases: Vec<Case>,
    /// Globs of the suite that matched no file.
    pub unmatched: Vec<String>,
}

/// The cases of a suite, by id.
///
/// # Errors
/// Every problem of every case file.
pub fn load(suite: &Suite) -> Result<Vec<Case>, Problems> {
    load_all(suite).map(|loaded| loaded.cases)
}

/// As [`load`], with the globs that matched nothing.
///
/// # Errors
/// Every problem of every case file.
pub fn load_all(suite: &Suite) -> Result<Loaded, Problems> {
    let Walk { files, unmatched, problems } = walk(&suite.dir, &suite.cases);
    let shown_dir = suite.file.as_ref().and_then(|file| file.parent()).unwrap_or(Path::new(""));
    let mut loading = Loading { cases: Vec::new(), taken: HashMap::new(), tools: HashSet::new(), problems };
    for relative in files {
        let path = suite.dir.join(&relative);
        let shown = shown_dir.join(&relative);
        if relative.extension().is_some_and(|extension| extension == "jsonl") {
            loading.many(&path, &shown);
        } else {
            loading.one(&path, &shown);
        }
    }
    if !loading.problems.is_empty() {
        return Err(Problems(loading.problems));
    }
    let mut cases = loading.cases;
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    cases.shrink_to_fit();
    Ok(Loaded { cases, unmatched })
}

/// One case from its JSON text; messages call its file `shown`.
///
/// # Errors
/// Every problem of the text.
pub fn parse(text: &str, shown: &Path) -> Result<Case, Problems> {
    let read = read::case(text.as_bytes().to_vec(), shown, None);
    read.case.ok_or(Problems(read.problems))
}

struct Loading {
    cases: Vec<Case>,
    /// Ids in lower case, and where each was met first.
    taken: HashMap<String, Taken>,
    /// Names of tools met so far.
    tools: HashSet<Arc<str>>,
    problems: Vec<Problem>,
}

struct Taken {
    id: String,
    file: PathBuf,
    line: u64,
}

impl Loading {
    fn one(&mut self, path: &Path, shown: &Path) {
        match read_bytes(path, shown) {
            Ok(bytes) => self.add(read::case(bytes, shown, None), shown),
            Err(problems) => self.problems.extend(problems.0),
        }
    }

    /// A file with a case a line; blank lines are passed over.
    fn many(&mut self, path: &Path, shown: &Path) {
        let mut reader = match open_file(path, shown) {
            Ok(file) => BufReader::new(file),
            Err(problems) => return self.problems.extend(problems.0),
        };
        for number in 1.. {
            let mut line = Vec::new();
            match reader.read_until(b'\n', &mut line) {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) => return self.problems.extend(unreadable(shown, &error).0),
            }
            while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                line.pop();
            }
            if !line.iter().all(u8::is_ascii_whitespace) {
                self.add(read::case(line, shown, Some(number)), shown);
            }
        }
    }

    fn add(&mut self, read: ReadCase, shown: &Path) {
        self.problems.extend(read.problems);
        if let Some((id, position)) = read.id {
            match self.taken.entry(id.to_ascii_lowercase()) {
                Entry::Vacant(vacant) => {
                    vacant.insert(Taken { id, file: shown.to_owned(), line: position.line });
                }
                Entry::Occupied(first) => {
                    let Taken { id: other, file, line } = first.get();
                    let found =
                        format!("the id `{id}` is taken: `{other}` stands in {}:{line}", file.display());
                    let problem = Problem::of_file(shown, found)
                        .expected("each id once in a suite, also when case is ignored")
                        .at_line(position.line, position.column);
                    self.problems.push(Problem { place: "/id".to_owned(), ..problem });
                }
            }
        }
        if let Some(mut case) = read.case {
            for recording in &mut case.recordings {
                recording.steps.share_names(&mut self.tools);
            }
            case.recordings.shrink_to_fit();
            self.cases.push(case);
        }
    }
}
