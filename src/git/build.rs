//! The build command of a revision: run once, with a clean environment, all of its output kept.

use super::GitError;
use super::command::{Ended, MISLEADING, Patience};
use super::error::printable;
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// How much of a failed build's output goes into its error: lines, and bytes looked at for them.
const TAIL_LINES: usize = 20;
const TAIL_BYTES: u64 = 8192;

/// Runs `command` with `sh -c` in `root`, with exactly `env`, output to `log`.
///
/// Variables that point git to another repository are left out of `env`: when the whole run is started by a
/// hook, a build that calls git would otherwise change the user's repository.
pub(super) fn run(
    command: &str,
    root: &Path,
    env: &[(String, String)],
    log: &Path,
    revision: &str,
    patience: &Patience,
) -> Result<(), GitError> {
    let failed = |source| GitError::io("write the log of the build", log, source);
    if let Some(folder) = log.parent() {
        fs_err::create_dir_all(folder).map_err(failed)?;
    }
    let mut options = OpenOptions::new();
    let output = options.create(true).write(true).truncate(true).mode(0o600).open(log).map_err(failed)?;
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", command])
        .current_dir(root)
        .env_clear()
        .envs(env.iter().filter(|(name, _)| !MISLEADING.contains(&name.as_str())).map(|(k, v)| (k, v)))
        .stdin(Stdio::null())
        .stdout(output.try_clone().map_err(failed)?)
        .stderr(output);
    let ended = match patience.run(&mut shell).map_err(|source| GitError::io("build in", root, source))? {
        Ended::Exited(status) if status.success() => return Ok(()),
        Ended::Interrupted => return Err(GitError::Interrupted),
        Ended::Exited(status) => how(status),
        Ended::OverLimit => format!("took longer than {} s", patience.limit.as_secs()),
    };
    Err(GitError::Build {
        revision: revision.to_owned(),
        command: command.to_owned(),
        ended,
        log: log.to_owned(),
        tail: tail(log).unwrap_or_default(),
    })
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended in no known way".to_owned(),
    }
}

/// The last lines of a file.
fn tail(log: &Path) -> std::io::Result<String> {
    let mut file = fs_err::File::open(log)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<String> = text.lines().map(printable).filter(|line| !line.trim().is_empty()).collect();
    Ok(lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n"))
}
