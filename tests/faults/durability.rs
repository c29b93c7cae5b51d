//! Nothing that finished is lost: by kills at any moment, a full disk, a folder that can't be written, two
//! runs at once, a cut line, a clock that jumps back.

use crate::cli::{assert_same_files, only_run, runs};
use crate::specs::{spared, struck};
use crate::support::{Ended, binary, records, suite, watch};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const KILLS: u32 = 100;
const SEED: u64 = 20_261_130;

/// A fast suite with every outcome that is deterministic: `restart = "case"`, so that the server's death
/// strikes the same attempts whatever was done before.
fn fast_suite() -> tempfile::TempDir {
    let toml = r#"
format_version = 1
attempts = 2
restart = "case"
[client]
profile = "claude-code"
[baseline]
command = ["{self}", "fixture", "--scenario", "pages"]
[candidate]
command = ["{self}", "fixture", "--scenario", "pages", "--fault", "F32", "--fault-on", "poison"]
[tools.read_text]
kind = "read"
continue = [{ argument = "offset", from = "/next/offset" }]
"#;
    let ids = ["a/1", "a/2", "a/3", "a/4", "b/1", "b/2", "b/3", "b/4"];
    let cases: Vec<(&str, Value)> =
        ids.into_iter().map(|id| (id, if id == "b/2" { struck() } else { spared() })).collect();
    suite(toml, &cases)
}

fn run_command(suite: &Path, out: &Path) -> Command {
    let mut command = binary();
    command.args(["run", "--progress", "none", "--jobs", "2", "--suite"]).arg(suite).arg("--out").arg(out);
    command
}

fn resume_command(out: &Path) -> Command {
    let mut command = binary();
    command.args(["run", "--progress", "none", "--resume", "--out"]).arg(out);
    command
}

fn started(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn text(ended: &Ended) -> String {
    format!("{:?}\n{}\n{}", ended.code, ended.out, ended.err)
}

/// Numbers that are the same every time.
struct Draws(u64);

impl Draws {
    /// At least 0 and below 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn a_hundred_kills_change_no_byte() {
    let (suite, folder) = (fast_suite(), tempfile::tempdir().unwrap());
    let whole = folder.path().join("whole");
    let undisturbed = watch(&mut run_command(suite.path(), &whole));
    assert_eq!(undisturbed.code, Some(100), "{}", text(&undisturbed));
    let (mut draws, mut kills, mut generation, mut resumes) = (Draws(SEED), 0, 0, 0);
    while kills < KILLS {
        generation += 1;
        let out = folder.path().join(format!("killed-{generation}"));
        loop {
            // A kill before the run has its folder leaves nothing to resume.
            let is_new = !out.is_dir() || runs(&out).is_empty();
            resumes += u32::from(!is_new);
            let mut child =
                started(if is_new { run_command(suite.path(), &out) } else { resume_command(&out) });
            let until = Instant::now() + undisturbed.took.mul_f64(1.1 * draws.next());
            let mut ended = None;
            while ended.is_none() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
                ended = child.try_wait().unwrap();
            }
            if let Some(status) = ended {
                assert_eq!(status.code(), Some(100), "after {kills} kills");
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
        }
        assert_same_files(&only_run(&whole), &only_run(&out));
    }
    assert!(resumes > KILLS / 4, "{resumes} of {kills} kills left something to resume");
}

/// A file system of so many KiB, for as long as the script runs: a run with `$free` KiB of it left, then the same
/// with room. The results are moved out of it.
const FULL: &str = r#"
set -u
bin=$0 suite=$1 keep=$2
disk=$keep/disk
mkdir -p "$disk"
mount -t tmpfs -o size=4m none "$disk" || exit 77
for free in 0 8 16 20 32 64 96 128 192 256 272 288 304 320 336 352 384 1024; do
    mkdir "$disk/out" "$keep/$free"
    head -c $(((4096 - free) * 1024)) /dev/zero > "$disk/filler" 2> /dev/null
    "$bin" run --progress none --jobs 2 --suite "$suite" --out "$disk/out" > "$keep/$free/full.out" 2> "$keep/$free/full.err"
    echo $? > "$keep/$free/full.code"
    rm "$disk/filler"
    if ls "$disk"/out/*/run.json > /dev/null 2>&1; then
        "$bin" run --progress none --resume --out "$disk/out" > "$keep/$free/more.out" 2> "$keep/$free/more.err"
        echo $? > "$keep/$free/more.code"
    fi
    cp -r "$disk/out" "$keep/$free/out"
    rm -r "$disk/out"
done
"#;

/// A real file system without room, at every stage of a run. Who may not mount one in a name space of their own is
/// told, and the test fails: nothing else shows it.
#[test]
fn a_full_disk_loses_nothing_that_was_written() {
    let (suite, folder) = (fast_suite(), tempfile::tempdir().unwrap());
    let whole = folder.path().join("whole");
    watch(&mut run_command(suite.path(), &whole));
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "bash", "-c", FULL]);
    command.arg(env!("CARGO_BIN_EXE_mcp-regress")).arg(suite.path()).arg(folder.path());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MCP_REGRESS_") || name == "CI") {
        command.env_remove(name);
    }
    let ended = watch(&mut command);
    assert_eq!(
        ended.code,
        Some(0),
        "no tmpfs in a user name space (`unshare --user --mount`): {}",
        text(&ended)
    );
    let mut stages = std::collections::BTreeMap::new();
    for free in std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(code) = std::fs::read_to_string(free.join("full.code")) else { continue };
        let err = std::fs::read_to_string(free.join("full.err")).unwrap();
        let stage = match code.trim() {
            "100" => "room enough",
            "1" if err.contains("run.json") => "nothing begun",
            "1" if err.contains("the journal can't be written") && err.contains("--resume") => "journal",
            "1" if err.contains("mcp-regress report") => "tables",
            code => panic!("{}: {code}: {err}", free.display()),
        };
        assert!(
            stage == "room enough" || err.contains("No space left on device"),
            "{}: {err}",
            free.display()
        );
        *stages.entry(stage).or_insert(0) += 1;
        if stage != "nothing begun" {
            let resumed = std::fs::read_to_string(free.join("more.code")).unwrap();
            assert_eq!(resumed.trim(), "100", "{}", free.display());
            assert_same_files(&only_run(&whole), &only_run(&free.join("out")));
        }
    }
    for stage in ["nothing begun", "journal", "tables", "room enough"] {
        assert!(stages.contains_key(stage), "no run was stopped there: {stages:?}");
    }
}

fn journal_of(run: &Path) -> PathBuf {
    run.join("shards/1-of-1/attempts.jsonl")
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_anything_runs() {
    let (suite, folder) = (fast_suite(), tempfile::tempdir().unwrap());
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    // Where even root may not write.
    for out in [Path::new("/proc/mcp-regress"), &file, &file.join("below")] {
        let ended = watch(&mut run_command(suite.path(), out));
        assert_eq!(ended.code, Some(2), "{}: {}", out.display(), text(&ended));
        assert!(ended.err.contains("--out"), "{}", ended.err);
    }
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o500)).unwrap();
    if std::fs::write(closed.join("probe"), "").is_err() {
        let ended = watch(&mut run_command(suite.path(), &closed.join("results")));
        assert_eq!(ended.code, Some(2), "{}", text(&ended));
    }
}

#[test]
fn two_runs_at_once_do_not_mix() {
    let (suite, folder) = (fast_suite(), tempfile::tempdir().unwrap());
    let out = folder.path().join("both");
    let mut first = started(run_command(suite.path(), &out));
    let second = watch(&mut run_command(suite.path(), &out));
    assert_eq!((second.code, first.wait().unwrap().code()), (Some(100), Some(100)), "{}", text(&second));
    let runs = runs(&out);
    assert_eq!(runs.len(), 2);
    assert_same_files(&runs[0], &runs[1]);
    let rounds = std::fs::read_to_string(out.join("runs.jsonl")).unwrap();
    assert!(rounds.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{rounds}");
    assert_eq!(rounds.lines().count(), 2);
}

#[test]
fn one_run_is_resumed_by_one_process_at_a_time() {
    let (suite, folder) = (fast_suite(), tempfile::tempdir().unwrap());
    let out = folder.path().join("out");
    let mut child = started(run_command(suite.path(), &out));
    let until = Instant::now() + Duration::from_secs(60);
    while !out.is_dir() || runs(&out).first().is_none_or(|run| !journal_of(run).is_file()) {
        assert!(Instant::now() < until && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(1));
    }
    // Held, so that it can't be done before the other one comes.
    let stop = |signal: &str| {
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    };
    stop("-STOP");
    let other = watch(&mut resume_command(&out));
    stop("-CONT");
    assert_eq!(child.wait().unwrap().code(), Some(100));
    assert_eq!(other.code, Some(2), "{}", text(&other));
    assert!(other.err.contains("in use by another run"), "{}", other.err);
}

#[test]
fn a_cut_journal_and_a_clock_that_jumps_back_are_gone_on_with() {
    let (suite, folder) = (fast_suite(), tempfile::tempdir().unwrap());
    let whole = folder.path().join("whole");
    watch(&mut run_command(suite.path(), &whole));
    let bytes = std::fs::read(journal_of(&only_run(&whole))).unwrap();
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
    for (name, length) in
        [("nothing", 0), ("one byte", 1), ("half", bytes.len() / 2), ("end", bytes.len() - 1)]
    {
        let out = folder.path().join(name);
        watch(&mut run_command(suite.path(), &out));
        let run = only_run(&out);
        let mut journal = std::fs::read(journal_of(&run)).unwrap();
        journal.truncate(length.min(journal.len() - 1));
        std::fs::write(journal_of(&run), &journal).unwrap();
        // As a run that was started an hour from now, by a clock that has been set back since.
        let mut meta: Value = serde_json::from_slice(&std::fs::read(run.join("run.json")).unwrap()).unwrap();
        meta["status"] = json!("started");
        meta["started_at"] = json!("2099-01-01T00:00:00Z");
        std::fs::write(run.join("run.json"), meta.to_string()).unwrap();
        let ended = watch(&mut resume_command(&out));
        assert_eq!(ended.code, Some(100), "{name}: {}", text(&ended));
        assert_same_files(&only_run(&whole), &run);
    }
    assert!(lines >= 48, "{lines}");
}

/// Of two records of an attempt the later start counts, and what a resumed run makes is later.
#[test]
fn what_a_resumed_run_makes_is_later_than_what_it_found() {
    let (suite, folder) = (fast_suite(), tempfile::tempdir().unwrap());
    let out = folder.path().join("out");
    watch(&mut run_command(suite.path(), &out));
    let run = only_run(&out);
    let mut found = records(&run);
    // A round of which one side is missing is replayed as a whole.
    let missing = |record: &Value| {
        record["case_id"] == "a/1" && record["side"] == "candidate" && record["attempt"] == 2
    };
    found.retain(|record| !missing(record));
    found.iter_mut().for_each(|record| record["started_ms"] = json!(3.6e6));
    let lines: String = found.iter().map(|record| format!("{record}\n")).collect();
    std::fs::write(journal_of(&run), lines).unwrap();
    let meta = std::fs::read_to_string(run.join("run.json")).unwrap();
    std::fs::write(run.join("run.json"), meta.replace("\"complete\"", "\"started\"")).unwrap();
    let ended = watch(&mut resume_command(&out));
    assert_eq!(ended.code, Some(100), "{}", text(&ended));
    let made = &records(&run)[found.len()..];
    assert!(
        made.len() >= 3 && made.iter().all(|record| record["started_ms"].as_f64() > Some(3.6e6)),
        "{made:?}"
    );
}
