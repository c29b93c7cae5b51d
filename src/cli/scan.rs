//! Flags of `scan`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
pub struct ScanArgs {
    /// Transcripts and recorded sessions, or folders of them. The format is told by the content.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only calls of this server; may be repeated.
    #[arg(long, env = "MCP_REGRESS_SERVER", value_name = "NAME", value_delimiter = ',')]
    pub server: Vec<String>,
    /// The client profile by which results are measured; default that of the client that wrote each file.
    #[arg(long, env = "MCP_REGRESS_CLIENT", value_name = "PROFILE")]
    pub client: Option<String>,
    /// A suite whose declarations of tools and limits of the client are used.
    #[arg(long, env = "MCP_REGRESS_SUITE", value_name = "DIR|FILE")]
    pub suite: Option<PathBuf>,
    /// Write the census into this folder: `tools.csv`, `notices.csv`, `scan.json`, `columns.md`.
    #[arg(long, env = "MCP_REGRESS_OUT", value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What is printed on standard output.
    #[arg(long, env = "MCP_REGRESS_FORMAT", default_value = "human")]
    pub format: ScanFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScanFormat {
    Human,
    Json,
    /// `tools.csv`.
    Csv,
}
