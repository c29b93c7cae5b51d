//! The committed demonstration cases are what their generator makes.

mod fixture_support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use fixture_support::cases;

fn case_files(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for below in ["", "threads"] {
        for entry in std::fs::read_dir(folder.join(below)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if name.ends_with(".case.json") || name.ends_with(".cases.jsonl") {
                files.insert(format!("{below}/{name}"), std::fs::read_to_string(&path).expect("readable"));
            }
        }
    }
    files
}

#[test]
fn the_committed_cases_are_what_the_generator_makes() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = Command::new(env!("CARGO_BIN_EXE_mcp-regress"))
        .args(["fixture", "--make-cases"])
        .arg(folder.path())
        .status()
        .expect("the binary runs");
    assert!(made.success());
    let (made, committed) =
        (case_files(folder.path()), case_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")));
    assert_eq!(made.keys().collect::<Vec<_>>(), committed.keys().collect::<Vec<_>>());
    for (name, content) in &made {
        assert!(content == &committed[name], "{name} differs: run scripts/make-cases and look at the change");
    }
    assert!(committed.values().map(String::len).sum::<usize>() < 1_500_000);
}

#[test]
fn ids_are_unique_and_both_splits_are_there() {
    for folder in ["cases", "cases/threads"] {
        let cases = cases(folder);
        let text = |case: &serde_json::Value, key: &str| case[key].as_str().expect("a text").to_lowercase();
        let ids: BTreeSet<String> = cases.iter().map(|case| text(case, "id")).collect();
        assert_eq!(ids.len(), cases.len());
        let splits: BTreeSet<String> = cases.iter().map(|case| text(case, "split")).collect();
        assert_eq!(splits, BTreeSet::from(["dev".to_owned(), "test".to_owned()]));
    }
}
