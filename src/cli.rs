//! The command line: inert flags. They are parsed and checked here, and mean something in `commands`.

mod import;
mod scan;
mod values;

pub use import::{ImportArgs, NeedChoice};
pub use scan::{ScanArgs, ScanFormat};
pub use values::{ReportKind, ReportWish, ShardChoice};

use crate::fixture::FixtureArgs;
use crate::foreign::Declared;
use crate::words::{KeepBodies, OnOversized, Question, ReplayMode, Restart};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Does this change to my MCP server make agents better or worse off, and how sure are we?
#[derive(Debug, Parser)]
#[command(name = "mcp-regress", version = env!("MCP_REGRESS_VERSION"), after_long_help = EXIT_CODES, max_term_width = 110)]
pub struct Cli {
    #[command(flatten)]
    pub output: OutputFlags,
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    ran; no rule says regression
  1    unexpected internal error
  2    usage or configuration: unknown metric in a rule, unset variable, bad case file
  3    a side could not be built, started or initialised
  4    no case selected, or no call of any case may be replayed
  5    incomplete: shards, attempts or pairs are missing
  6    not comparable (fingerprints differ), or the baseline is missing
  7    inconclusive, only with --fail-on inconclusive
  100  ran well, and a rule says regression
  130  interrupted; everything finished is kept; the resume command is printed
The first that holds: 130, 1, 2, 3, 6, 4, 5, 100, 7, 0. All others that hold are in summary.json `also`.";

/// How a command speaks.
#[derive(Debug, Clone, Args)]
pub struct OutputFlags {
    /// Colour on standard output.
    #[arg(long, global = true, env = "MCP_REGRESS_COLOR", default_value = "auto", value_name = "WHEN")]
    pub color: When,
    /// What stands on standard error while a run goes on.
    #[arg(long, global = true, env = "MCP_REGRESS_PROGRESS", default_value = "auto", value_name = "KIND")]
    pub progress: ProgressKind,
    /// Say only what went wrong.
    #[arg(short, long, global = true, env = "MCP_REGRESS_QUIET")]
    pub quiet: bool,
    /// Say more; twice for each attempt.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, env = "MCP_REGRESS_VERBOSE")]
    pub verbose: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressKind {
    /// A bar on a terminal, else one line every ten seconds.
    Auto,
    Bar,
    Plain,
    None,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a suite file for a server.
    Init(InitArgs),
    /// Make one case from one call.
    Probe(ProbeArgs),
    /// Check suite and cases, start each side, and show what a run would do.
    Check(CheckArgs),
    /// Make cases of transcripts and recorded sessions.
    Import(Box<ImportArgs>),
    /// Census of transcripts: calls, oversized results, how agents read on; no server needed.
    Scan(ScanArgs),
    /// Replay all cases on all sides, judge, report.
    Run(Box<RunArgs>),
    /// Make the reports of a stored run again.
    Report(ReportArgs),
    /// Put the shards of a run together, judge, report.
    Merge(MergeArgs),
    /// Compare stored runs, or the attempts of any harness in a CSV file.
    Compare(Box<CompareArgs>),
    /// What a suite of so many cases and attempts can detect, and how many cases a margin needs.
    Plan(PlanArgs),
    /// How often a suite's own gate alarms on runs of the same code.
    Calibrate(Box<CalibrateArgs>),
    /// The runs that are kept: all of them, or what one was made of.
    Runs(RunsArgs),
    /// Write a script that completes commands and flags in a shell.
    Completions(CompletionsArgs),
    /// Stand between an agent and its server, and write down what passes.
    Record(RecordArgs),
    /// The deterministic server of the demonstrations and tests.
    #[command(hide = true)]
    Fixture(FixtureArgs),
}

/// Which suite, and which of its cases.
#[derive(Debug, Clone, Args, Default)]
pub struct SuiteFlags {
    /// The suite file, or a folder that holds `mcp-regress.toml`.
    #[arg(long, env = "MCP_REGRESS_SUITE", value_name = "DIR|FILE")]
    pub suite: Option<PathBuf>,
    /// Only cases whose id matches this glob; may be repeated.
    #[arg(long, env = "MCP_REGRESS_CASES", value_name = "GLOB")]
    pub cases: Vec<String>,
    /// Only cases of this split.
    #[arg(long, env = "MCP_REGRESS_SPLIT", default_value = "all")]
    pub split: SplitChoice,
    /// Only cases with this tag; may be repeated.
    #[arg(long, env = "MCP_REGRESS_TAG", value_name = "TAG", value_delimiter = ',')]
    pub tag: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum SplitChoice {
    Dev,
    Test,
    #[default]
    All,
}

/// Where the sides come from, when not from the suite file.
#[derive(Debug, Clone, Args, Default)]
pub struct SideFlags {
    /// The baseline is this git revision, in a worktree outside yours.
    #[arg(long, env = "MCP_REGRESS_BASELINE_REV", value_name = "REV", group = "baseline_source")]
    pub baseline_rev: Option<String>,
    /// The baseline's files stand in this folder.
    #[arg(long, env = "MCP_REGRESS_BASELINE_ROOT", value_name = "DIR", group = "baseline_source")]
    pub baseline_root: Option<PathBuf>,
    /// The baseline is up at this address.
    #[arg(
        long,
        env = "MCP_REGRESS_BASELINE_URL",
        hide_env_values = true,
        value_name = "URL",
        group = "baseline_source"
    )]
    pub baseline_url: Option<String>,
    /// The baseline is this command, split as a shell would.
    #[arg(
        long,
        env = "MCP_REGRESS_BASELINE_CMD",
        hide_env_values = true,
        value_name = "COMMAND",
        group = "baseline_source"
    )]
    pub baseline_cmd: Option<String>,
    /// The candidate is this git revision; default the working tree.
    #[arg(long, env = "MCP_REGRESS_CANDIDATE_REV", value_name = "REV", group = "candidate_source")]
    pub candidate_rev: Option<String>,
    /// The candidate's files stand in this folder.
    #[arg(long, env = "MCP_REGRESS_CANDIDATE_ROOT", value_name = "DIR", group = "candidate_source")]
    pub candidate_root: Option<PathBuf>,
    /// The candidate is up at this address.
    #[arg(
        long,
        env = "MCP_REGRESS_CANDIDATE_URL",
        hide_env_values = true,
        value_name = "URL",
        group = "candidate_source"
    )]
    pub candidate_url: Option<String>,
    /// The candidate is this command, split as a shell would.
    #[arg(
        long,
        env = "MCP_REGRESS_CANDIDATE_CMD",
        hide_env_values = true,
        value_name = "COMMAND",
        group = "candidate_source"
    )]
    pub candidate_cmd: Option<String>,
}

/// How a comparison is judged.
#[derive(Debug, Clone, Args, Default)]
pub struct JudgeFlags {
    /// Which verdicts fail the command.
    #[arg(long, env = "MCP_REGRESS_FAIL_ON", default_value = "regression", value_name = "VERDICT")]
    pub fail_on: FailOn,
    /// Exit 0 where the verdict alone would fail.
    #[arg(long, env = "MCP_REGRESS_WARN_ONLY")]
    pub warn_only: bool,
    /// What a failed attempt counts as in share metrics.
    #[arg(long, env = "MCP_REGRESS_MISSING", value_name = "POLICY")]
    pub missing: Option<MissingChoice>,
    /// What is printed on standard output.
    #[arg(long, env = "MCP_REGRESS_FORMAT", default_value = "human")]
    pub format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum FailOn {
    #[default]
    Regression,
    Inconclusive,
}

/// What to do when there is no baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum IfNoBaseline {
    /// Exit 6.
    #[default]
    Fail,
    /// Say so, run nothing, exit 0.
    Warn,
    /// Replay the candidate against itself, to be the baseline of a later run; exit 0.
    Record,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MissingChoice {
    AsWorst,
    OkOnly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum Format {
    #[default]
    Human,
    Json,
}

#[derive(Debug, Clone, Args, Default)]
pub struct RunArgs {
    #[command(flatten)]
    pub suite: SuiteFlags,
    #[command(flatten)]
    pub sides: SideFlags,
    #[command(flatten)]
    pub judge: JudgeFlags,
    /// The baseline is a side (default `candidate`) of this stored run.
    #[arg(long, env = "MCP_REGRESS_BASELINE_RUN", value_name = "RUN[:SIDE]", group = "baseline_source", conflicts_with_all = ["same_code", "confirm_flips"])]
    pub baseline_run: Option<String>,
    /// What to do when the baseline's revision or stored run is not there.
    #[arg(long, env = "MCP_REGRESS_IF_NO_BASELINE", value_name = "WHAT", default_value = "fail")]
    pub if_no_baseline: IfNoBaseline,
    /// Attempts of each case on each side.
    #[arg(long, env = "MCP_REGRESS_ATTEMPTS", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub attempts: Option<u32>,
    /// Further runs of the baseline's own code.
    #[arg(long, env = "MCP_REGRESS_SAME_CODE", value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub same_code: Option<u32>,
    /// How recordings are sent: by each side's own paging, or word for word.
    #[arg(long, env = "MCP_REGRESS_REPLAY", default_value = "adaptive", value_parser = replay_mode, value_name = "MODE")]
    pub replay: Option<ReplayMode>,
    /// Who makes the calls; only `replay` for now.
    #[arg(long, env = "MCP_REGRESS_AGENT", default_value = "replay", value_parser = ["replay"], value_name = "AGENT")]
    pub agent: Option<String>,
    /// The client profile.
    #[arg(long, env = "MCP_REGRESS_CLIENT", value_name = "PROFILE")]
    pub client: Option<String>,
    /// What the agent does after an oversized result.
    #[arg(long, env = "MCP_REGRESS_ON_OVERSIZED", value_parser = on_oversized, value_name = "REACTION")]
    pub on_oversized: Option<OnOversized>,
    /// How often a side's process is made anew: worker, case, attempt.
    #[arg(long, env = "MCP_REGRESS_RESTART", value_parser = restart, value_name = "WHEN")]
    pub restart: Option<Restart>,
    /// Workers side by side.
    #[arg(long, env = "MCP_REGRESS_JOBS", value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub jobs: Option<u32>,
    /// Seconds that a call may take.
    #[arg(long, env = "MCP_REGRESS_TIMEOUT", value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Decides the order and every random choice.
    #[arg(long, env = "MCP_REGRESS_SEED", value_name = "N")]
    pub seed: Option<u64>,
    /// Resamples where an interval is not exact.
    #[arg(long, env = "MCP_REGRESS_RESAMPLES", value_name = "N", default_value = "10000", value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    pub resamples: Option<u32>,
    /// Replay flipped cases once more, at least 8 times a side, and judge flips by that alone.
    #[arg(long, env = "MCP_REGRESS_CONFIRM_FLIPS")]
    pub confirm_flips: bool,
    /// Replay part I of N alone, to be merged with the others; `auto` takes the part from GitLab, Slurm, Kubernetes
    /// or GNU parallel, where `auto/N` says how many parts there are.
    #[arg(long, env = "MCP_REGRESS_SHARD", value_name = "I/N|auto[/N]", conflicts_with = "confirm_flips")]
    pub shard: Option<ShardChoice>,
    /// Go on with a run that was interrupted; the last one when no folder is named.
    #[arg(long, env = "MCP_REGRESS_RESUME", value_name = "RUN", num_args = 0..=1, default_missing_value = "")]
    pub resume: Option<String>,
    /// Where runs are kept.
    #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR", default_value = "results")]
    pub out: Option<PathBuf>,
    /// Write a report to a path of its own as well: comment, json, junit, markdown. May be repeated.
    #[arg(long, env = "MCP_REGRESS_REPORT", value_name = "KIND[=PATH]", value_delimiter = ',')]
    pub report: Vec<ReportWish>,
    /// Keep results as files, secrets taken out, for report.html to show: none, those that are oversized, or all.
    #[arg(long, env = "MCP_REGRESS_KEEP_BODIES", value_name = "WHICH", default_value = "none", value_parser = keep_bodies)]
    pub keep_bodies: Option<KeepBodies>,
    /// Force the journal to disk after each attempt.
    #[arg(long, env = "MCP_REGRESS_SYNC", value_parser = ["attempt"], value_name = "attempt")]
    pub sync: Option<String>,
    /// Say what would be run, and run nothing.
    #[arg(long, env = "MCP_REGRESS_DRY_RUN")]
    pub dry_run: bool,
}

#[derive(Debug, Clone, Args)]
pub struct MergeArgs {
    /// Folders of shards, or folders that hold them.
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Write a report to a path of its own as well: comment, json, junit, markdown. May be repeated.
    #[arg(long, env = "MCP_REGRESS_REPORT", value_name = "KIND[=PATH]", value_delimiter = ',')]
    pub report: Vec<ReportWish>,
    /// Where runs are kept: the merged one gets a folder there.
    #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    #[command(flatten)]
    pub judge: JudgeFlags,
}

#[derive(Debug, Clone, Args)]
pub struct RunsArgs {
    #[command(subcommand)]
    pub command: RunsCommand,
}

#[derive(Debug, Clone, Subcommand)]
pub enum RunsCommand {
    /// One line a run, oldest first.
    List {
        /// Where runs are kept.
        #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR", default_value = "results")]
        out: PathBuf,
        /// What is printed on standard output.
        #[arg(long, env = "MCP_REGRESS_FORMAT", default_value = "human")]
        format: Format,
    },
    /// What a run was made of, and how far it went.
    Show {
        /// The run's folder, its name, or nothing for the last one.
        run: Option<PathBuf>,
        /// Where runs are kept.
        #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR", default_value = "results")]
        out: PathBuf,
        /// What is printed on standard output.
        #[arg(long, env = "MCP_REGRESS_FORMAT", default_value = "human")]
        format: Format,
    },
}

#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// For which shell.
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    /// The run's folder, its name, or nothing for the last one.
    pub run: Option<PathBuf>,
    /// Write a report to a path of its own as well: comment, json, junit, markdown. May be repeated.
    #[arg(long, env = "MCP_REGRESS_REPORT", value_name = "KIND[=PATH]", value_delimiter = ',')]
    pub report: Vec<ReportWish>,
    /// Where runs are kept.
    #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    #[command(flatten)]
    pub judge: JudgeFlags,
}

/// What of a comparison is compared: sides and columns of a file.
#[derive(Debug, Clone, Args, Default)]
pub struct ForeignFlags {
    /// The file's name of the baseline; default `baseline` or `base`.
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// The file's name of the candidate; default `candidate` or `cand`.
    #[arg(long, value_name = "NAME")]
    pub candidate: Option<String>,
    /// Another run of the baseline's code: a side of the file (default `same-code*`), or RUN[:SIDE]; may be repeated.
    #[arg(long, value_name = "NAME|RUN[:SIDE]")]
    pub same_code: Vec<String>,
    /// What a column of the file is; a guardrail or goal is judged. May be repeated.
    #[arg(long, value_name = "NAME:UNIT:lower|higher[:ROLE[:MARGIN]]")]
    pub metric: Vec<Declared>,
}

#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    /// One CSV file with a row an attempt, or stored runs: the first is the reference. SIDE is `candidate` unless given.
    #[arg(required = true, value_name = "FILE.csv|RUN[:SIDE]")]
    pub what: Vec<String>,
    #[command(flatten)]
    pub foreign: ForeignFlags,
    /// What the rules on a file ask.
    #[arg(long, value_name = "QUESTION", value_parser = question, default_value = "cases-like-these")]
    pub question: Question,
    /// Write the tables into this folder.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where runs are kept.
    #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR", default_value = "results")]
    pub runs: PathBuf,
    /// Decides every random choice.
    #[arg(long, env = "MCP_REGRESS_SEED", value_name = "N")]
    pub seed: Option<u64>,
    /// Resamples where an interval is not exact.
    #[arg(long, env = "MCP_REGRESS_RESAMPLES", value_name = "N", value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    pub resamples: Option<u32>,
    #[command(flatten)]
    pub judge: JudgeFlags,
}

#[derive(Debug, Clone, Args)]
pub struct PlanArgs {
    /// Cases of the suite that is planned; default those of the source.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    pub cases: Option<u32>,
    /// Attempts of each case on each side; default those of the source.
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub attempts: Option<u32>,
    /// How much worse is tolerated, in the metric's unit or in percent of the baseline such as `5%`.
    #[arg(long, value_name = "X")]
    pub margin: Option<String>,
    /// Only this metric; for a file also NAME:UNIT:lower|higher. May be repeated.
    #[arg(long, value_name = "NAME")]
    pub metric: Vec<String>,
    /// Where the variances come from: a stored run, or a CSV file with a row an attempt.
    #[arg(long, value_name = "RUN|FILE.csv")]
    pub from: String,
    /// The file's name of the baseline; default `baseline` or `base`.
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// The file's name of the candidate; default `candidate` or `cand`.
    #[arg(long, value_name = "NAME")]
    pub candidate: Option<String>,
    /// Where runs are kept.
    #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR", default_value = "results")]
    pub runs: PathBuf,
    /// What is printed on standard output.
    #[arg(long, env = "MCP_REGRESS_FORMAT", default_value = "human")]
    pub format: Format,
}

#[derive(Debug, Clone, Args)]
pub struct CalibrateArgs {
    /// A stored run (the last one by default), or a CSV file with a row an attempt.
    #[arg(value_name = "RUN|FILE.csv")]
    pub what: Option<String>,
    #[command(flatten)]
    pub foreign: ForeignFlags,
    /// What the rules on a file ask.
    #[arg(long, value_name = "QUESTION", value_parser = question, default_value = "cases-like-these")]
    pub question: Question,
    /// Where runs are kept.
    #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR", default_value = "results")]
    pub runs: PathBuf,
    #[command(flatten)]
    pub judge: JudgeFlags,
}

#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// Where runs are kept: the last one says what only results can tell.
    #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    #[command(flatten)]
    pub suite: SuiteFlags,
    #[command(flatten)]
    pub sides: SideFlags,
    /// The client profile.
    #[arg(long, env = "MCP_REGRESS_CLIENT", value_name = "PROFILE")]
    pub client: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct InitArgs {
    /// The address of a server that is up, or with a command of the server that it starts; `{port}` is a free one.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Sent with every request over HTTP, as `Authorization: Bearer ${TOKEN}`; may be repeated.
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    pub header: Vec<String>,
    /// A variable for the server, as `NAME=VALUE`; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", requires = "command")]
    pub env: Vec<String>,
    /// Without a command and a URL: the server's name in a `.mcp.json` with several.
    #[arg(long, value_name = "SERVER", conflicts_with_all = ["url", "command"])]
    pub name: Option<String>,
    /// The folder in which `mcp-regress.toml` is written; it must not be there yet.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// The command that starts the server, after `--`. Without it and without a URL, `.mcp.json` says.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub struct ProbeArgs {
    /// The tool to call.
    pub tool: String,
    /// Its arguments, a JSON object.
    #[arg(default_value = "{}")]
    pub arguments: String,
    /// The suite file, or a folder that holds `mcp-regress.toml`.
    #[arg(long, env = "MCP_REGRESS_SUITE", value_name = "DIR|FILE")]
    pub suite: Option<PathBuf>,
    #[command(flatten)]
    pub sides: SideFlags,
    /// The client profile.
    #[arg(long, env = "MCP_REGRESS_CLIENT", value_name = "PROFILE")]
    pub client: Option<String>,
    /// The case's id, and the name of its file; default made of the tool's name.
    #[arg(long)]
    pub id: Option<String>,
    /// A text that the agent must see before the read is over; may be repeated. Default: read to the end.
    #[arg(long, value_name = "TEXT")]
    pub contains: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub struct RecordArgs {
    /// The address of a server that is up: a proxy stands in front of it.
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub url: Option<String>,
    /// Where the proxy listens: a loopback address; port 0 takes a free one.
    #[arg(long, env = "MCP_REGRESS_LISTEN", value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: String,
    /// Let the proxy listen where other machines reach it; whoever does acts as you on the server.
    #[arg(long, env = "MCP_REGRESS_LISTEN_PUBLIC")]
    pub listen_public: bool,
    /// A further name under which the proxy may be asked, in `Host` and `Origin`; may be repeated.
    #[arg(long, env = "MCP_REGRESS_ALLOW_HOST", value_name = "NAME", value_delimiter = ',')]
    pub allow_host: Vec<String>,
    /// The folder of the session, or its file when the name ends in `.jsonl`; default `mcp-regress/sessions` in
    /// `$XDG_STATE_HOME` or `~/.local/state`.
    #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR|FILE")]
    pub out: Option<PathBuf>,
    /// The server's name in the client's configuration; default made of the command or the address.
    #[arg(long, env = "MCP_REGRESS_NAME", value_name = "SERVER")]
    pub name: Option<String>,
    /// Become the command, and end with this process.
    #[arg(long, hide = true, value_name = "PID", requires = "command")]
    pub child_of: Option<u32>,
    /// End by this signal.
    #[arg(long, hide = true, value_name = "SIGNAL")]
    pub die_by: Option<i32>,
    /// The command that starts a stdio server, after `--`.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

fn replay_mode(text: &str) -> Result<ReplayMode, String> {
    word(text, ReplayMode::parse, &ReplayMode::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>())
}

fn keep_bodies(text: &str) -> Result<KeepBodies, String> {
    word(text, KeepBodies::parse, &KeepBodies::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>())
}

fn on_oversized(text: &str) -> Result<OnOversized, String> {
    word(text, OnOversized::parse, &OnOversized::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>())
}

fn question(text: &str) -> Result<Question, String> {
    word(text, Question::parse, &Question::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>())
}

fn restart(text: &str) -> Result<Restart, String> {
    word(text, Restart::parse, &Restart::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>())
}

fn word<T>(text: &str, parse: fn(&str) -> Option<T>, allowed: &[&str]) -> Result<T, String> {
    parse(text).ok_or_else(|| format!("expected one of {}", allowed.join(", ")))
}
