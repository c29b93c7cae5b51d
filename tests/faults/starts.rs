//! A side that dies before it answers, again and again.

use crate::cli::{only_run, runs};
use crate::specs::{spared, struck};
use crate::support::{binary, records, suite, watch};
use std::path::Path;

/// A candidate that counts its starts in a file and dies in those that the test of sh selects.
fn counting(folder: &Path, dies_when: &str) -> String {
    let count = folder.join("starts");
    let path = folder.join("server.sh");
    let text = format!(
        "n=$(($(cat {count} 2>/dev/null || echo 0) + 1)); echo $n > {count}\n\
         if [ $n {dies_when} ]; then echo \"start $n fails\" >&2; exit 7; fi\n\
         exec \"$@\"\n",
        count = count.display(),
    );
    std::fs::write(&path, text).unwrap();
    format!(
        "command = [\"sh\", \"{}\", \"{{self}}\", \"fixture\", \"--scenario\", \"pages\"]",
        path.display()
    )
}

fn suite_of(candidate: &str) -> tempfile::TempDir {
    let toml = format!(
        "format_version = 1\nattempts = 2\nrestart = \"attempt\"\n\
         [baseline]\ncommand = [\"{{self}}\", \"fixture\", \"--scenario\", \"pages\"]\n[candidate]\n{candidate}\n\
         [tools.read_text]\nkind = \"read\"\ncontinue = [{{ argument = \"offset\", from = \"/next/offset\" }}]\n"
    );
    suite(&toml, &[("a", spared()), ("b", struck())])
}

#[test]
fn one_that_dies_in_all_of_its_first_starts_ends_the_run_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite_of(&counting(folder.path(), "-ge 1"));
    let out = folder.path().join("out");
    let ended = watch(binary().args(["run", "--suite"]).arg(suite.path()).arg("--out").arg(&out));
    assert_eq!(ended.code, Some(3), "{}", ended.err);
    assert!(
        ended.err.contains("the candidate did not start: the process ended: exit code 7"),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("  | start 5 fails"), "{}", ended.err);
    assert_eq!(std::fs::read_to_string(folder.path().join("starts")).unwrap().trim(), "5");
    assert!(runs(&out).is_empty());
}

#[test]
fn one_that_dies_four_times_is_waited_for_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite_of(&counting(folder.path(), "-le 4"));
    let out = folder.path().join("out");
    let ended = watch(
        binary().args(["run", "--suite"]).arg(suite.path()).arg("--out").arg(&out).env("COLUMNS", "300"),
    );
    assert_eq!(ended.code, Some(0), "{}\n{}", ended.out, ended.err);
    let said = "warning: candidate: it died 4 times before it answered, and was started again";
    assert!(ended.out.contains(said), "{}", ended.out);
}

/// The first start lists the tools; the one after the next two attempts is the first of five that fail.
#[test]
fn five_deaths_in_a_row_end_the_run_and_keep_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite_of(&counting(folder.path(), "-ge 3"));
    let out = folder.path().join("out");
    let ended = watch(binary().args(["run", "--suite"]).arg(suite.path()).arg("--out").arg(&out));
    assert_eq!(ended.code, Some(3), "{}\n{}", ended.out, ended.err);
    assert!(
        ended.err.contains("everything finished is kept") && ended.err.contains("--resume"),
        "{}",
        ended.err
    );
    let run = only_run(&out);
    let kept = records(&run);
    assert!(kept.iter().any(|record| record["side"] == "candidate" && record["status"] == "ok"));
    let lost = kept.iter().filter(|record| record["status"] == "infrastructure").count();
    assert!(lost >= 2, "{lost}");
    // Mended, it goes on where it was.
    std::fs::write(folder.path().join("starts"), "-1000").unwrap();
    let resumed = watch(binary().args(["run", "--resume", "--out"]).arg(&out));
    assert_eq!(resumed.code, Some(0), "{}\n{}", resumed.out, resumed.err);
    let again = records(&run).len();
    assert!(again > kept.len());
}
