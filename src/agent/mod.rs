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
mod keep;
mod leaf;
mod need;
mod news;
mod offer;
mod recorded;
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
pub(crate) use fold::comparable;
pub use infer::{Inferred, inferred_declaration};
pub(crate) use infer::{is_same, plain as plain_name};
pub use keep::Keeper;
pub(crate) use leaf::{each_leaf, each_leaf_outside_arrays};
pub use offer::{Offer, meets_need, offer};
pub use recorded::{
    ChainText, ReadRelation, RecordedReads, chain_texts, comes_in_reverse, is_position_name, is_rfc3339,
    is_size_name, met_at, read_identity,
};
pub use replay::{AttemptTrace, ReplaySettings, replay};
pub use schema::Schema;
pub(crate) use step::as_number;
pub use toolbox::{SideTool, Tool, ToolUse, Toolbox, tools_used};
