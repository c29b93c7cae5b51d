//! Flags of `import`.

use super::Format;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
pub struct ImportArgs {
    /// Transcripts and recorded sessions, or folders of them. The format is told by the content.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only calls of this server; may be repeated. Default: every server, each in cases of its own.
    #[arg(long, env = "MCP_REGRESS_SERVER", value_name = "NAME", value_delimiter = ',')]
    pub server: Vec<String>,
    /// The folder in which the cases are written, and the declarations of their tools.
    #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR", default_value = "imported")]
    pub out: PathBuf,
    /// A suite whose declarations of tools are used.
    #[arg(long, env = "MCP_REGRESS_SUITE", value_name = "DIR|FILE")]
    pub suite: Option<PathBuf>,
    /// Tasks with the same prompt become recordings of one case; with an ID all tasks do.
    #[arg(long, value_name = "ID", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub group: Option<String>,
    /// The need of every read, in place of what is inferred.
    #[arg(long, env = "MCP_REGRESS_NEED", value_name = "KIND", default_value = "infer")]
    pub need: NeedChoice,
    /// Keep no passage of any result: fingerprints alone.
    #[arg(long, env = "MCP_REGRESS_NO_PASSAGES")]
    pub no_passages: bool,
    /// Keep prompts as questions, redacted.
    #[arg(long, env = "MCP_REGRESS_KEEP_TEXT", conflicts_with = "no_passages")]
    pub keep_text: bool,
    /// Show what would be written, and write nothing.
    #[arg(long, env = "MCP_REGRESS_DRY_RUN")]
    pub dry_run: bool,
    /// Say for every step what each rule saw.
    #[arg(long, env = "MCP_REGRESS_EXPLAIN")]
    pub explain: bool,
    /// Write over files that are there and differ.
    #[arg(long)]
    pub force: bool,
    /// What is printed on standard output.
    #[arg(long, env = "MCP_REGRESS_FORMAT", default_value = "human")]
    pub format: Format,
}

/// Which need a read gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NeedChoice {
    /// What was used, else the end, else the last view.
    Infer,
    /// Read to the end.
    End,
    /// Half of what the last view added.
    Last,
    /// Nearly everything that was seen.
    All,
}
