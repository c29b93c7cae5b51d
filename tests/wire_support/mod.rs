//! What the tests of the wire client share.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use mcp_regress::wire::{
    CallReply, ClientInfo, LaunchSpec, Limits, Session, StartError, Target, WireOutcome,
};
use serde_json::{Map, Value};

/// An example of this crate, built when it is not there: `cargo test` builds all of them, but
/// `cargo test --test wire_stdio` does not.
pub fn example(name: &str) -> PathBuf {
    let me = std::env::current_exe().expect("the path of the test");
    let built =
        me.parent().and_then(|deps| deps.parent()).expect("a target folder").join("examples").join(name);
    if !built.exists() {
        let status = Command::new(env!("CARGO")).args(["build", "--quiet", "--example", name]).status();
        assert!(status.expect("cargo runs").success(), "the example `{name}` is built");
    }
    built
}

pub fn launch(argv: &[&str]) -> LaunchSpec {
    LaunchSpec {
        argv: argv.iter().map(|&argument| argument.to_owned()).collect(),
        env: vec![("PATH".to_owned(), std::env::var("PATH").unwrap_or_default())],
        cwd: std::env::temp_dir(),
    }
}

/// The misbehaving server in one of its modes.
pub fn server(mode: &str) -> Target {
    server_after(mode, 0)
}

/// The misbehaving server, after some calls that go well.
pub fn server_after(mode: &str, well: usize) -> Target {
    Target::Stdio(launch(&[example("wire_server").to_str().expect("a path"), mode, &well.to_string()]))
}

/// A server written as a shell script.
pub fn shell(script: &str) -> Target {
    Target::Stdio(launch(&["sh", "-c", script]))
}

pub fn limits() -> Limits {
    Limits { start: Duration::from_secs(20), call: Duration::from_secs(20), ..Limits::default() }
}

pub async fn start(target: &Target) -> Result<Session, StartError> {
    Session::start(target, &ClientInfo::default(), &limits()).await
}

pub async fn call(session: &mut Session, text: &str) -> CallReply {
    let mut arguments = Map::new();
    arguments.insert("text".to_owned(), Value::from(text));
    session.call("echo", &arguments).await
}

/// One line that says how a call ended.
pub fn word(outcome: &WireOutcome) -> String {
    match outcome {
        WireOutcome::Result(raw) => format!("result {}", raw.get()),
        WireOutcome::Error { code, message, .. } => format!("error {code} {message}"),
        WireOutcome::Timeout => "timeout".to_owned(),
        WireOutcome::Crashed { how } => format!("crashed {}: {how}", how.kind()),
        WireOutcome::Refused { how } => format!("refused {}: {how}", how.kind()),
        WireOutcome::Infrastructure { how } => format!("infrastructure {}: {how}", how.kind()),
    }
}

/// The warnings of a reply, by kind.
pub fn kinds(reply: &CallReply) -> Vec<&'static str> {
    reply.warnings.iter().map(mcp_regress::wire::ReplyWarning::kind).collect()
}
