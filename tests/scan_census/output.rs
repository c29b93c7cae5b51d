//! Tables, files, exit codes, and inputs that are damaged.

use crate::support::{Session, assert_total, census, scan};
use serde_json::{Value, json};
use std::io::Write;

fn small() -> Session {
    let mut session = Session::new("o");
    session.done("mcp__docs__read", json!({"id": 1}), "one");
    session.done("mcp__docs__read", json!({"id": 2}), "three");
    session.done("mcp__tickets__=get", json!({"id": 2}), "two");
    session
}

#[test]
fn the_same_numbers_stand_in_every_form() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("s.jsonl");
    small().write(&file);
    let out = dir.path().join("out/census");
    let said = scan(&[file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines[0], "0 of 3 calls (0 %) oversized; largest shown 5");
    assert!(lines.last().unwrap().starts_with("next: mcp-regress import "), "{}", said.out);
    assert!(lines.last().unwrap().ends_with(" --server docs"), "{}", said.out);

    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let csv = scan(&[file.to_str().unwrap(), "--format", "csv"]).out;
    assert_eq!(read("tools.csv"), csv);
    let rows: Vec<&str> = csv.lines().collect();
    assert!(rows[0].starts_with("server,tool,kind,calls,results,errors,oversized,oversized_share,"));
    assert!(rows[1].starts_with("docs,read,read,2,2,0,0,0,") && rows[2].starts_with("tickets,'=get,read,1,"));
    assert!(!csv.contains('\r') && rows.len() == 3);
    let columns = rows[0].split(',').count();
    assert!(rows.iter().all(|row| row.split(',').count() == columns));
    assert_eq!(read("notices.csv"), "server,tool,notice,results\n");
    assert!(rows[0].split(',').all(|column| read("columns.md").contains(&format!("| {column} |"))));
    let json: Value = serde_json::from_str(&read("scan.json")).unwrap();
    assert_eq!(json, census(&file));
}

#[test]
fn the_columns_are_documented() {
    let docs = include_str!("../../docs/scan.md");
    let dir = tempfile::tempdir().unwrap();
    small().write(&dir.path().join("s.jsonl"));
    let out = dir.path().join("census");
    scan(&[dir.path().to_str().unwrap(), "--out", out.to_str().unwrap()]);
    let columns = std::fs::read_to_string(out.join("columns.md")).unwrap();
    let rows: Vec<&str> = columns.lines().filter(|line| line.starts_with("| ")).collect();
    assert!(rows.len() > 25, "{columns}");
    for row in rows {
        assert!(docs.lines().any(|line| line == row), "docs/scan.md lacks: {row}");
    }
    let notices = mcp_regress::scan::Wording::ALL.iter().map(|wording| wording.as_str());
    let formats = mcp_regress::import::Format::ALL.iter().map(|format| format.as_str());
    for word in notices.chain(formats) {
        assert!(docs.contains(&format!("| `{word}` |")), "docs/scan.md lacks a row of `{word}`");
    }
}

#[test]
fn servers_are_chosen() {
    let dir = tempfile::tempdir().unwrap();
    small().write(&dir.path().join("s.jsonl"));
    let path = dir.path().to_str().unwrap();
    let said = scan(&[path, "--server", "tickets"]);
    assert!(said.out.starts_with("0 of 1 call (0 %) oversized; largest shown 3\n"), "{}", said.out);
    for (arguments, code, text) in [
        (vec![path, "--server", "none"], 4, "no tool call of `none` in 1 transcripts"),
        (vec!["/no/such/folder"], 2, "nothing that was given could be read as a transcript"),
        (vec![path, "--client", "nobody"], 2, "profile `nobody` is not known"),
    ] {
        let said = scan(&arguments);
        assert_eq!((said.code, said.out.as_str()), (Some(code), ""), "{}", said.err);
        assert!(said.err.contains(text), "{}", said.err);
    }
}

#[test]
fn what_is_damaged_is_counted_and_the_rest_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let good = small().text();
    let mut bytes = good.replace("three", "thr\u{e9}e").into_bytes();
    // Latin-1 in the middle, a line that is no record, a line of 100 MB, a last line that was cut.
    let place = bytes.windows(2).position(|pair| pair == "\u{e9}".as_bytes()).unwrap();
    bytes.splice(place..place + 2, [0xe9]);
    bytes.extend_from_slice(b"{\"mcp__docs__read\": nonsense}\n");
    bytes.extend(std::iter::repeat_n(b'x', 100 << 20));
    bytes.push(b'\n');
    let mut more = Session::new("later");
    more.done("mcp__docs__read", json!({"id": 9}), "late");
    bytes.extend_from_slice(more.text().as_bytes());
    let cut = more.call("mcp__docs__read", json!({"id": 10}));
    let last = more.text();
    let last = last.lines().last().unwrap();
    assert!(last.contains(&cut));
    bytes.extend_from_slice(&last.as_bytes()[..last.len() - 9]);
    std::fs::File::create(dir.path().join("s.jsonl")).unwrap().write_all(&bytes).unwrap();
    std::fs::write(dir.path().join("notes.json"), "{\"a\": 1}").unwrap();
    std::fs::write(dir.path().join("empty.jsonl"), "").unwrap();
    let said = scan(&[dir.path().to_str().unwrap(), "--format", "json"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let census: Value = serde_json::from_str(&said.out).unwrap();
    assert_total(&census, &[("calls", 4), ("results", 4), ("largest_shown", 5)]);
    for sign in ["invalid UTF-8", "no record", "too long", "cut short"] {
        assert!(said.err.contains(sign), "{sign}: {}", said.err);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    small().write(&dir.path().join("s.jsonl"));
    let closed = dir.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let may_read_anything = std::fs::read_dir(&closed).is_ok();
    let said = scan(&[dir.path().to_str().unwrap()]);
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.starts_with("0 of 3 calls"), "{}", said.out);
    // The superuser is refused nothing.
    assert!(may_read_anything || said.err.contains("1 place that cannot be read"), "{}", said.err);
    // What is not there is named too, and the rest is read.
    let said = scan(&[dir.path().to_str().unwrap(), "/no/such/folder"]);
    assert_eq!(said.code, Some(0));
    assert!(said.err.contains("/no/such/folder"), "{}", said.err);
}

#[test]
fn a_file_that_grows_is_read_as_it_was_when_it_was_opened() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.jsonl");
    small().write(&path);
    let is_over = AtomicBool::new(false);
    let said = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
            for round in 0..20_000 {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let mut more = Session::new(&format!("more-{round}"));
                more.done("mcp__docs__read", json!({"id": round}), "grown");
                file.write_all(more.text().as_bytes()).unwrap();
            }
        });
        let said = scan(&[path.to_str().unwrap(), "--format", "json"]);
        is_over.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        said
    });
    assert_eq!(said.code, Some(0), "{}", said.err);
    let census: Value = serde_json::from_str(&said.out).unwrap();
    assert!(census["total"]["calls"].as_u64().unwrap() >= 3, "{census}");
}
