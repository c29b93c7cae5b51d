//! Where a new case goes: a free id, and a file that the suite's globs find.

use crate::commands::Failure;
use crate::commands::resolve::Selected;
use crate::suite::{Suite, compile_glob};
use std::path::{Path, PathBuf};

/// An id and a file that are both free.
pub(super) struct Place {
    pub id: String,
    /// As messages name it, from the current folder.
    pub file: PathBuf,
    /// What to do so that the suite finds it.
    pub note: Option<String>,
}

/// The place of a case called `id`, or by a free id made of the tool's name.
pub(super) fn new(selected: &Selected, id: Option<&str>, tool: &str) -> Result<Place, Failure> {
    let suite = &selected.suite;
    let taken = |id: &str| selected.cases.iter().find(|case| case.id.eq_ignore_ascii_case(id));
    let Some(id) = id else {
        let base = id_of(tool);
        let numbered = (1..).map(|n: u32| if n == 1 { base.clone() } else { format!("{base}-{n}") });
        let free = numbered.into_iter().find(|id| taken(id).is_none() && !file(suite, id).0.exists());
        return Ok(place(suite, free.unwrap_or(base)));
    };
    if let Some(case) = taken(id) {
        let line = case.line.map(|line| format!(":{line}")).unwrap_or_default();
        return Err(Failure::usage(format!("the id `{id}` is taken by `{}`{line}", case.file.display()))
            .hint("give another --id"));
    }
    let place = place(suite, id.to_owned());
    if place.file.exists() {
        return Err(Failure::usage(format!(
            "`{}` is there already, and is not overwritten",
            place.file.display()
        ))
        .hint("give another --id"));
    }
    Ok(place)
}

fn place(suite: &Suite, id: String) -> Place {
    let (file, is_found) = file(suite, &id);
    let note = (!is_found).then(|| {
        format!("no glob of the suite's `cases` finds this file: add `\"{}\"` to it", file_name(&id))
    });
    Place { id, file, note }
}

/// The file beside the suite when a glob finds it there, else in the folder that a glob names; whether one does.
fn file(suite: &Suite, id: &str) -> (PathBuf, bool) {
    let name = file_name(id);
    let shown = suite.file.as_ref().and_then(|file| file.parent()).map_or(suite.dir.clone(), Path::to_owned);
    let shown = match std::env::current_dir() {
        Ok(here) => shown.strip_prefix(&here).map(Path::to_owned).unwrap_or(shown),
        Err(_) => shown,
    };
    let folders = suite.cases.iter().map(|glob| literal_folder(glob));
    let mut relative = std::iter::once(PathBuf::new()).chain(folders).map(|folder| folder.join(&name));
    let globs: Vec<_> = suite.cases.iter().filter_map(|glob| compile_glob(glob, true).ok()).collect();
    match relative.find(|path| globs.iter().any(|glob| glob.is_match(path))) {
        Some(path) => (shown.join(path), true),
        None => (shown.join(name), false),
    }
}

/// A file name is no path: parts of an id are joined by dots in it.
fn file_name(id: &str) -> String {
    format!("{}.case.json", id.replace('/', "."))
}

/// The folders with which a glob begins, as far as they hold no sign of a pattern.
fn literal_folder(glob: &str) -> PathBuf {
    let parts: Vec<&str> = glob.split('/').collect();
    let folders = &parts[..parts.len() - 1];
    folders.iter().take_while(|part| !part.contains(['*', '?', '[', '{'])).collect()
}

/// The tool's name with what an id cannot hold replaced.
fn id_of(tool: &str) -> String {
    let kept: String =
        tool.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).take(100).collect();
    if kept.starts_with(|c: char| c.is_ascii_alphabetic()) { kept } else { format!("probe-{kept}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_made_of_any_name() {
        for (tool, id) in [
            ("read_text", "read_text"),
            ("a.b/c", "a-b-c"),
            ("1st", "probe-1st"),
            ("é", "probe--"),
            ("", "probe-"),
        ] {
            assert_eq!(id_of(tool), id);
        }
    }

    #[test]
    fn a_file_lies_where_a_glob_finds_it() {
        for (globs, wanted, is_found) in [
            (vec!["**/*.case.json"], "a.b.case.json", true),
            (vec!["*.jsonl", "cases/sub/*.case.json"], "cases/sub/a.b.case.json", true),
            (vec!["cases/**/*.json"], "cases/a.b.case.json", true),
            (vec!["one.case.json"], "a.b.case.json", false),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let mut suite = crate::suite::Found::Defaults { dir: dir.path().to_owned() }.load().unwrap();
            suite.cases = globs.iter().map(|glob| (*glob).to_owned()).collect();
            let (path, found) = file(&suite, "a/b");
            assert_eq!((path, found), (suite.dir.join(wanted), is_found), "{globs:?}");
        }
    }
}
