//! `record`: between an agent and its server.

use super::{Failure, Printer};
use crate::cli::RecordArgs;
use crate::exit::ExitCode;
use crate::record::{self, Described, Gate, HttpOptions, SessionFile};
use crate::suite::{redact_url, redact_words};
use reqwest::Url;
use serde_json::Value;
use std::ffi::OsString;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) fn run(args: RecordArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    if let Some(signal) = args.die_by {
        record::die_by(signal);
        end_with(u8::try_from(128 + signal).unwrap_or(1));
    }
    if let Some(parent) = args.child_of {
        return Err(not_started(&args.command, &record::run_in_place(parent, &args.command)));
    }
    match (&args.url, args.command.is_empty()) {
        (Some(url), _) => proxy(&args, url, printer),
        (None, false) => shim(&args, printer),
        (None, true) => Err(Failure::usage("no server is named").hint(
            "put its command after `--`, as in `mcp-regress record -- npx -y my-server`, or give its address \
             with --url",
        )),
    }
}

#[expect(clippy::exit, reason = "the server's own exit code becomes this process's, whatever it means")]
fn end_with(code: u8) -> ! {
    std::process::exit(code.into())
}

fn not_started(command: &[OsString], why: &std::io::Error) -> Failure {
    let program = command.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let mut failure = Failure::new(ExitCode::SideFailed, format!("`{program}` can't be started: {why}"));
    if why.kind() == std::io::ErrorKind::NotFound {
        failure = failure.hint("is it in PATH, which a client may set otherwise than your shell?");
    }
    failure
}

fn shim(args: &RecordArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let words: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let server = args.name.clone().unwrap_or_else(|| record::name_of_command(&words));
    let described = Described {
        server: server.clone(),
        transport: "stdio",
        command: Some(redact_words(words.iter().map(String::as_str))),
        url: None,
    };
    let session = session(args, &described)?;
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("mcp-regress"));
    let definition = record::of_command(&program, &server, args.out.as_deref(), &words);
    introduce(printer, &session, &definition);
    match record::run(&args.command, session) {
        Ok(ended) => end_with(ended.code),
        Err(error) => Err(not_started(&args.command, &error)),
    }
}

fn proxy(args: &RecordArgs, url: &str, printer: &Printer) -> Result<ExitCode, Failure> {
    // The parser's errors do not repeat the text, which may hold a secret.
    let parsed = Url::parse(url).map_err(|error| Failure::usage(format!("--url: can't be read: {error}")))?;
    if !matches!(parsed.scheme(), "http" | "https") || parsed.host_str().is_none() {
        return Err(Failure::usage(format!("--url: neither http nor https: `{}:`", parsed.scheme())));
    }
    let server = args.name.clone().unwrap_or_else(|| record::name_of_url(url));
    let listener = listener(args)?;
    let address = listener.local_addr()?;
    let described =
        Described { server: server.clone(), transport: "http", command: None, url: Some(redact_url(url)) };
    let session = session(args, &described)?;
    let shown = format!("http://{}{}", reachable(address), parsed.path());
    introduce(printer, &session, &record::of_url(&server, &shown));
    printer.note(&format!("listening on {shown}, in front of {}; Ctrl-C ends it", redact_url(url)));
    let names = args.allow_host.iter().map(|name| name.to_ascii_lowercase()).collect();
    let gate = Gate { is_public: args.listen_public, names };
    record::serve(HttpOptions { url: parsed, listener, gate }, Arc::clone(&session))?;
    printer.note(&format!("recorded in {}", session.path().display()));
    Ok(ExitCode::Success)
}

/// Bound, and on loopback unless the person said otherwise.
fn listener(args: &RecordArgs) -> Result<TcpListener, Failure> {
    let text = if args.listen.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("127.0.0.1:{}", args.listen)
    } else {
        args.listen.clone()
    };
    let wrong = |what: String| {
        Failure::usage(format!("--listen: {what}")).hint("give an address and a port, as in 127.0.0.1:8931")
    };
    let addresses: Vec<SocketAddr> =
        text.to_socket_addrs().map_err(|error| wrong(format!("`{text}`: {error}")))?.collect();
    if !args.listen_public
        && let Some(public) = addresses.iter().find(|address| !address.ip().is_loopback())
    {
        return Err(Failure::usage(format!("--listen: `{public}` is no loopback address"))
            .hint("the proxy sends on whatever reaches it; with --listen-public other machines may use it"));
    }
    TcpListener::bind(&addresses[..]).map_err(|error| wrong(format!("can't listen on `{text}`: {error}")))
}

/// An address that a client on this machine can use.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    let loopback =
        if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() };
    SocketAddr::new(loopback, address.port())
}

fn session(args: &RecordArgs, described: &Described) -> Result<Arc<SessionFile>, Failure> {
    let out = args.out.clone().unwrap_or_else(record::default_folder);
    SessionFile::create(&out, described)
        .map(Arc::new)
        .map_err(|error| Failure::usage(error).hint("say where with --out"))
}

/// What the person pastes, on standard error: standard output is the server's.
fn introduce(printer: &Printer, session: &SessionFile, definition: &Value) {
    let text = serde_json::to_string_pretty(definition).unwrap_or_default();
    printer
        .note(&format!("recording to {}\nfor the client's configuration:\n{text}", session.path().display()));
}
