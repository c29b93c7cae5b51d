//! Agents: who decides the next call. `replay` follows a recording by each side's own paging.

mod answer;
mod bindings;
mod chain;
mod chain_text;
mod content;
mod coverage;
mod earlier;
mod fold;
mod infer;
mod need;
mod replay;
mod rule;
mod shrink;
mod toolbox;

pub use answer::{Answer, Caller, Reply};
pub use coverage::{GRAM, SHORTEST, hashes as fingerprint_hashes};
pub use infer::{Inferred, inferred_declaration};
pub use replay::{AttemptTrace, ReplaySettings, replay};
pub use toolbox::{Schema, SideTool, Tool, ToolUse, Toolbox, tools_used};
