//! Between an agent and its server: every byte passes, and both directions are written down.
//!
//! `stdio` stands in for the server's command, `http` for its address. Both cut what passes into frames
//! and append each to a session file with one write before it is passed on, so a session holds what the
//! other end was sent even when this process is killed.

mod cutter;
mod definition;
mod die;
mod frame;
mod http;
mod pump;
mod session_file;
mod stdio;

pub use definition::{name_of_command, name_of_url, of_command, of_url};
pub use die::{die_by, run_in_place};
pub use http::{Gate, HttpOptions, serve};
pub use session_file::{Described, SESSION_FORMAT, SESSION_VERSION, SessionFile, default_folder};
pub use stdio::{Ended, run};
