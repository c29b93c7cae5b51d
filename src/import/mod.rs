//! Transcripts of agents as cases.
//!
//! ```text
//! files -> lines -> events of threads (one reader a format) -> tasks -> chains -> needs -> cases
//! ```
//!
//! Every reader turns its format into the same [`Event`]s. What comes after the events knows no format.

mod bind;
mod chains;
mod claude;
mod codex;
mod collect;
mod draft;
mod features;
mod files;
mod format;
mod gemini;
mod group;
mod inspect;
mod kinds;
mod learn;
mod lines;
mod model;
mod needs;
mod notice;
mod offered;
mod prefixed;
mod prints;
mod problems;
mod read;
pub(crate) mod redact;
mod rpc;
mod scope;
mod shown;
mod sightings;
mod stop;
mod tools;
mod used;
mod views;
mod without_numbers;

pub use bind::{Binding, Unbound};
pub(crate) use chains::file_name;
pub use chains::{Chain, ChainCall, Made, chains};
pub use claude::{ClaudeReader, Wanted, mcp_name};
pub use codex::CodexReader;
pub use collect::{ImportOptions, Imported, import, sessions};
pub use draft::{Draft, DraftOptions, StepNote};
pub use files::{Input, inputs};
pub use format::{Format, HEAD_BYTES, detect};
pub use gemini::GeminiReader;
pub(crate) use gemini::{GeminiCut, cut as gemini_cut};
pub use group::{Case as ImportedCase, Grouping};
pub use inspect::read_inspect;
pub use kinds::kind_by_name;
pub use learn::Learned;
pub use lines::{Line, Lines, MOST_LINE_BYTES, decode};
pub use model::{
    About, Call, Event, EventKind, Output, OutputBlock, Session, SessionBuilder, ThreadId, Tokens,
};
pub use needs::NeedOptions;
pub use notice::{NoticeKind, Oversize, oversize};
pub(crate) use offered::{is_text_cursor, speaks_of_place, texts_in};
pub use problems::{Damage, ImportProblems};
pub use read::{read, read_as};
pub use redact::{PACK as REDACTION_PACK, redacted};
pub use rpc::RpcReader;
pub use scope::{CLIENT, Scope};
pub use shown::Shown;
pub(crate) use shown::was_never_made;
pub(crate) use tools::is_position;
pub use tools::{ToolFacts, ToolKey, Tools};
