//! Workers that replay the plan, side by side, and the journal that they append to.

mod environment;
mod event;
mod journal;
mod launch;
mod prepare;
mod seat;
mod secrets;
mod service;
mod service_log;
mod worker;

pub use environment::{VisibleEnv, is_ci};
pub use event::{Event, Events};
pub use journal::{JournalWriter, Sync};
pub use launch::{LaunchValues, SideSpec};
pub use prepare::{PrepareError, Prepared, PreparedSide, open, prepare};
pub use seat::Seat;
pub use secrets::Secrets;
pub use service::{Services, start_services};
pub use worker::{RunConfig, RunEnd, run};
