//! From the trace to numbers: one a metric and attempt, and what is known of cases and sides.
//!
//! Reading order: [`measure`] gives the numbers of one attempt, [`exposure`] says which calls the
//! change touched, [`parting`] where two sides part, [`case_facts`] and [`side_facts`] what became
//! of a case and of a side, [`fidelity`] whether the replay does what the agent did,
//! [`tools_list`] how two tool lists differ. [`collect()`] reads a journal case by case and puts all of it into one
//! [`AttemptTable`], the input of the statistics.

pub mod measure;
pub mod exposure;
pub mod bracket;
pub mod parting;
pub mod case_facts;
pub mod side_facts;
pub mod fidelity;
pub mod tools_list;

mod column;
mod table;
mod collect;

pub use collect::{Collected, case_order, collect};
pub use column::Column;
pub use exposure::Exposure;
pub use measure::measure;
pub use table::{AttemptRow, AttemptTable, CaseRow, MetricInfo};
