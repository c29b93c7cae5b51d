//! Damaged input: what can be read is read, what cannot is counted and named.

use crate::support::{Made, Talk, import};
use serde_json::json;
use std::path::Path;

fn good() -> Talk {
    Talk::new("Go").read("t1", None, "one", None)
}

fn import_bytes(bytes: &[u8]) -> Made {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("talk.jsonl");
    std::fs::write(&file, bytes).unwrap();
    import(&[&file], &[])
}

fn assert_read_with(made: &Made, warning: &str) {
    assert_eq!(made.code, Some(0), "{}", made.err);
    assert_eq!(made.recorded()[0], 1);
    assert!(made.err.contains(warning), "{} in {}", warning, made.err);
}

#[test]
fn a_damaged_line_costs_that_line_alone() {
    let text = good().text();
    let with = |damage: &[u8]| [text.as_bytes(), damage].concat();
    assert_read_with(&import_bytes(&with(b"{\"type\":\"assistant\",\"mess")), "1 last line cut short");
    assert_read_with(&import_bytes(&with(b"no record at all\n{\"type\":\n")), "2 lines that are no records");
    assert_read_with(
        &import_bytes(&with(&[b"[".repeat(100_000), b"\n".to_vec()].concat())),
        "1 line that is no record",
    );
    let invalid = b"{\"type\":\"assistant\",\"message\":{\"content\":\"\xff\xfe\"}}\n";
    assert_read_with(&import_bytes(&with(invalid)), "1 line with invalid UTF-8");
    let huge = [b"{\"type\":\"user\",\"x\":\"".to_vec(), b"y".repeat(40 << 20), b"\"}\n".to_vec()].concat();
    assert_read_with(&import_bytes(&[text.as_bytes(), &huge[..]].concat()), "1 line too long to be read");
    let odd = b"{\"type\":\"user\",\"message\":{\"content\":\"\\ud800\"}}\n7\n[]\n\n  \n";
    assert_read_with(&import_bytes(&with(odd)), "2 lines that are no records");
    // Windows line ends, and a byte order mark.
    let marked = [b"\xef\xbb\xbf".to_vec(), text.replace('\n', "\r\n").into_bytes()].concat();
    let made = import_bytes(&marked);
    assert_eq!((made.code, made.recorded()[0]), (Some(0), 1), "{}", made.err);
    assert!(made.err.is_empty(), "{}", made.err);
}

#[test]
fn nothing_readable_is_no_success() {
    for bytes in [&b""[..], b"plain text", b"{\"a\": 1}\n"] {
        let made = import_bytes(bytes);
        assert_eq!(made.code, Some(2), "{}", made.err);
        assert!(made.err.contains("file of no known format"), "{}", made.err);
    }
    let made = import(&[Path::new("no/such/file.jsonl")], &[]);
    assert_eq!(made.code, Some(2));
    assert!(made.err.contains("1 place that cannot be read: no/such/file.jsonl"), "{}", made.err);
}

#[test]
fn a_folder_is_read_as_far_as_it_can_be() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.jsonl"), good().text()).unwrap();
    std::fs::write(dir.path().join("notes.md"), "nothing").unwrap();
    std::fs::write(dir.path().join("other.json"), "{}").unwrap();
    std::fs::create_dir(dir.path().join("deep")).unwrap();
    std::fs::write(dir.path().join("deep/b.jsonl"), Talk::new("Go").read("t2", None, "two", None).text())
        .unwrap();
    let made = import(&[dir.path(), Path::new("no/such/folder")], &[]);
    assert_eq!(made.code, Some(0));
    assert_eq!((made.cases.len(), &made.summary["files"]), (2, &json!(2)));
    assert!(made.err.contains("no/such/folder"), "{}", made.err);
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.jsonl"), good().text()).unwrap();
    let closed = dir.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let may_read_anything = std::fs::read_dir(&closed).is_ok();
    let made = import(&[dir.path()], &[]);
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!((made.code, made.cases.len()), (Some(0), 1));
    // The superuser is refused nothing.
    assert!(may_read_anything || made.err.contains("closed"), "{}", made.err);
}

#[test]
fn cases_that_are_there_are_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("talk.jsonl");
    std::fs::write(&file, good().text()).unwrap();
    let out = dir.path().join("cases");
    let run = |flags: &[&str]| {
        let mut command = crate::cli::mcp_regress();
        crate::cli::said(command.arg("import").arg(&file).arg("--out").arg(&out).args(flags))
    };
    assert_eq!(run(&[]).code, Some(0));
    assert!(run(&[]).out.contains("wrote 0 files"));
    let case = out.join("docs.talk.1.case.json");
    std::fs::write(&case, "{}").unwrap();
    let refused = run(&[]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("is there already, and differs"), "{}", refused.err);
    assert_eq!(std::fs::read(&case).unwrap(), b"{}");
    assert_eq!(run(&["--force"]).code, Some(0));
    assert_ne!(std::fs::read(&case).unwrap(), b"{}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let talk = Talk::new("Go").walk(["", "", "see tideTableLoader"]).say("tideTableLoader");
    let (a, b) = (talk.import(&[]), talk.import(&[]));
    assert_eq!(a.cases, b.cases);
    assert_eq!(a.file("docs.talk.1.case.json"), b.file("docs.talk.1.case.json"));
    assert_eq!(a.file("tools.toml"), b.file("tools.toml"));
}

#[test]
fn a_recorded_session_that_a_crash_cut_is_read_up_to_there() {
    let line = |dir: &str, msg: serde_json::Value| {
        json!({"ts": "2026-11-01T00:00:00Z", "dir": dir, "msg": msg}).to_string() + "\n"
    };
    let read = |id: u64, start: u64| {
        let arguments = json!({"documentId": "doc-a", "startOffset": start});
        let params = json!({"name": "read_document", "arguments": arguments});
        line("client", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    };
    let page = |id: u64, next: u64| {
        let text = json!({"text": crate::support::filler(id as usize), "next": {"startOffset": next}});
        let content = json!([{"type": "text", "text": text.to_string()}]);
        line("server", json!({"jsonrpc": "2.0", "id": id, "result": {"content": content}}))
    };
    let header = json!({"format_version": 1, "server": "docs", "transport": "stdio"}).to_string() + "\n";
    let whole = header + &read(1, 0) + &page(1, 100) + &read(2, 100) + &page(2, 200);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.session.jsonl");
    std::fs::write(&file, &whole).unwrap();
    let made = import(&[&file], &[]);
    assert_eq!((made.code, made.recorded(), made.err.as_str()), (Some(0), [2, 2, 1, 0], ""));
    std::fs::write(&file, &whole[..whole.len() - 40]).unwrap();
    let made = import(&[&file], &[]);
    assert_eq!((made.code, made.recorded()), (Some(0), [2, 2, 1, 0]));
    for warning in ["1 last line cut short", "1 call without a result"] {
        assert!(made.err.contains(warning), "{}", made.err);
    }
}
