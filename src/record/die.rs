//! Ends that pass through: a server dies with its shim, and the shim dies by the signal that ended its server.
//!
//! Both need a moment in a process that has just been started anew, since a handler of signals can't be taken
//! back and a wish to die with the parent must be made by the child itself.

use rustix::process::{Resource, Rlimit, Signal, getpid, getppid, kill_process, setrlimit};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// This program, also when its file was replaced meanwhile.
pub(super) fn this_program() -> io::Result<PathBuf> {
    let by_process = PathBuf::from("/proc/self/exe");
    if by_process.exists() { Ok(by_process) } else { std::env::current_exe() }
}

/// Becomes `command`, to be killed when the process `parent` ends. Returns only when that fails.
pub fn run_in_place(parent: u32, command: &[OsString]) -> io::Error {
    let Some((program, arguments)) = command.split_first() else {
        return io::Error::new(io::ErrorKind::InvalidInput, "the command is empty");
    };
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_parent_process_death_signal(Some(Signal::KILL)) {
        return error.into();
    }
    // The parent may have ended before the wish was made.
    let is_orphan = getppid().is_none_or(|id| id.as_raw_nonzero().get().cast_unsigned() != parent);
    if is_orphan {
        return io::Error::other("the process that started it has ended");
    }
    Command::new(program).args(arguments).exec()
}

/// Ends this process by `signal`, so that its parent sees what ended the server. Returns when that fails.
pub(super) fn end_by(signal: i32) {
    if let Ok(program) = this_program() {
        let _ = Command::new(program).args(["record", "--die-by", &signal.to_string()]).exec();
    }
}

/// In the process that [`end_by`] became: nothing handles signals here.
pub fn die_by(signal: i32) {
    // The core of this program would say nothing of the server.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    if let Some(signal) = Signal::from_named_raw(signal) {
        let _ = kill_process(getpid(), signal);
    }
}
