//! From numbers to a verdict: the rules of the gate, judged with their reasons.

pub mod comparison;
pub mod confirm;
pub mod figures;
pub mod rules;
pub mod inferred;
pub mod gate;

pub use comparison::{CaseState, Comparison, Settings};
pub use confirm::Confirmation;
pub use figures::{FlipRow, MetricRow, SplitFigures};
pub use gate::{Gate, Overall};
pub use rules::{RuleVerdict, Verdict};
