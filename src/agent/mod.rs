//! Agents: who decides the next call. `replay` follows a recording by each side's own paging.

mod answer;
mod bindings;
mod call;
mod chain;
mod chain_rule;
mod coverage;
mod earlier;
mod fold;
mod ignored;
mod infer;
mod joints;
mod leaf;
mod need;
mod news;
mod offer;
mod replay;
mod request;
mod rule;
mod schema;
mod shrink;
mod step;
mod texts;
mod toolbox;
mod turn;
mod wanted;

pub use answer::{Answer, Caller, Reply};
pub use coverage::{GRAM, SHORTEST, hashes as fingerprint_hashes};
pub use infer::{Inferred, inferred_declaration};
pub use offer::{Offer, meets_need, offer};
pub use replay::{AttemptTrace, ReplaySettings, replay};
pub use schema::Schema;
pub use toolbox::{SideTool, Tool, ToolUse, Toolbox, tools_used};
