//! From the numbers of attempts to an estimate, an interval, a same-code spread and a verdict.
//!
//! A pure module: it takes plain numbers, does no I/O, knows no suite and no trace, and gives the
//! same digits for the same input and seed, whatever the number of threads. The unit is the
//! **case**: attempts of a case are averaged first and never treated as independent observations.
//!
//! Reading order: a [`sample`] pairs the attempts of two sides, case by case. [`interval`]
//! (Student t), [`exact`] and [`bootstrap`] (percentile), [`signflip`] and [`ratio`] describe its
//! deltas. [`spread`] is what the same code does to itself. [`judge`] puts all of it into one row
//! a metric; [`call`] gives the word of the row and [`rule`] the verdict of a gate.

pub mod dist;
pub mod rng;

pub mod sample;
pub mod missing;

pub mod interval;
pub mod exact;
pub mod bootstrap;
mod counted;
mod multinomial;
pub mod signflip;
pub mod ratio;
pub mod counts;
pub mod holm;

pub mod spread;
pub mod flips;
pub mod power;
pub mod proportion;

pub mod call;
pub mod rule;
pub mod judge;

/// Which direction of a metric is good for the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Better {
    Lower,
    Higher,
}

impl Better {
    /// The harm in a difference: `delta` when lower is better, `-delta` when higher is.
    pub fn harm(self, delta: f64) -> f64 {
        match self {
            Better::Lower => delta,
            // Subtracting from zero keeps an unchanged metric at 0 and never gives -0.
            Better::Higher => 0.0 - delta,
        }
    }
}

/// How a metric can differ between two runs of the same code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoiseClass {
    /// Chars, bytes, tokens: a timestamp in a result is enough to move it.
    Size,
    /// Calls, chains, results, turns.
    Count,
    /// A share between 0 and 1.
    Share,
    /// A duration.
    Time,
}

/// What a comparison is to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    /// On exactly these cases, is the difference more than two runs of the same code differ?
    TheseCases,
    /// Would the difference hold for cases like these?
    CasesLikeThese,
}
