//! Fuzz targets: what must hold for any bytes, by name. Each panics where it does not.
//!
//! The targets in `fuzz/` call these, and so does a test on stable Rust, with the committed seeds and with
//! mutations of them. A new one is a function here, a line in [`TARGETS`], a file in `fuzz/fuzz_targets/` and
//! a folder of seeds in `fuzz/corpus/`.

use crate::import::{DraftOptions, Grouping, ImportOptions, import};
use crate::scan::{ScanOptions, scan};
pub use crate::wire::fuzzing::{envelope, framing, sse};
use std::path::Path;

/// A target takes any bytes.
pub type Target = fn(&[u8]);

/// Every target by the name of its file and of its seeds.
pub const TARGETS: [(&str, Target); 8] = [
    ("framing", framing),
    ("sse", sse),
    ("envelope", envelope),
    ("trace", trace),
    ("cases", cases),
    ("suite", suite),
    ("definitions", definitions),
    ("transcripts", transcripts),
];

/// A journal of any bytes is read to its end: records, and notes on what is none.
pub fn trace(bytes: &[u8]) {
    in_file("attempts.jsonl", bytes, |path| {
        let ids = ["a".to_owned(), "docs/b".to_owned()];
        let Ok(journal) = crate::trace::Journal::open(&[path.to_owned()], &ids) else { return };
        let Ok(mut reader) = journal.reader() else { return };
        for (place, id) in ids.iter().enumerate() {
            let records = reader.case(place).unwrap_or_default();
            assert!(records.iter().all(|record| record.case_id == *id));
        }
        let _ = journal.notes().iter().map(ToString::to_string).collect::<Vec<_>>();
    });
}

/// A case of any bytes is read, or its problems are named.
pub fn cases(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match crate::case::parse(&text, Path::new("f.case.json")) {
        Ok(case) => assert!(!case.id.is_empty() && !case.recordings.is_empty()),
        Err(problems) => assert!(!problems.to_string().is_empty()),
    }
}

/// A suite file of any bytes is read, or its problems are named.
pub fn suite(bytes: &[u8]) {
    in_file("mcp-regress.toml", bytes, |path| {
        if let Err(problems) = crate::suite::load(path) {
            assert!(!problems.to_string().is_empty());
        }
    });
}

/// A file of server definitions, in any format.
pub fn definitions(bytes: &[u8]) {
    in_file(".mcp.json", bytes, |path| {
        if let Err(problems) = crate::suite::definitions::read(path, Path::new(".mcp.json")) {
            assert!(!problems.to_string().is_empty());
        }
    });
}

/// A transcript of any client, told by its content: what can be read is counted, and the cases made of it load.
pub fn transcripts(bytes: &[u8]) {
    in_file("session.jsonl", bytes, |path| {
        let Some(folder) = path.parent() else { return };
        let Ok(suite) = (crate::suite::Found::Defaults { dir: folder.to_owned() }).load() else { return };
        let paths = [path.to_owned()];
        let census =
            scan(&ScanOptions { paths: &paths, servers: &[], suite: &suite, client: None }, &mut |_, _| {});
        assert!(census.is_ok_and(|census| census.files.values().sum::<u64>() <= 1));
        let imported = import(&ImportOptions {
            paths: &paths,
            servers: &[],
            suite: &suite,
            drafts: DraftOptions::default(),
            grouping: Grouping::Each,
            keep_text: false,
        });
        for made in imported.cases {
            let loaded = crate::case::parse(&made.json.to_string(), Path::new("f.case.json"));
            assert!(loaded.is_ok(), "{}", made.json);
        }
    });
}

/// Readers of files are tried on files; a folder that can't be made says nothing about them.
fn in_file(name: &str, bytes: &[u8], read: impl Fn(&Path)) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join(name);
    if std::fs::write(&path, bytes).is_ok() {
        read(&path);
    }
}
