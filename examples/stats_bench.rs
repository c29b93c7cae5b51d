//! Times the intervals of the statistics, and prints one line a measurement.
//!
//! `cargo run --release --example stats_bench`; `scripts/bench-stats` runs it beside scipy.

use std::error::Error;
use std::io::{Write, stdout};
use std::time::Instant;

use mcp_regress::stats::bootstrap::RESAMPLES;
use mcp_regress::stats::judge::{Metric, Options, table};
use mcp_regress::stats::rng::{Purpose, Stream};
use mcp_regress::stats::sample::{Attempt, Attempts, Pairing, Side, Status};
use mcp_regress::stats::{Better, NoiseClass, Question};

const ATTEMPTS: u32 = 4;

/// What a column of the suite holds.
#[derive(Clone, Copy)]
enum Kind {
    /// 0 or 1.
    Share,
    /// A few calls.
    Count,
    /// Whole numbers of this size.
    Amount(f64),
    /// A real number of no lattice.
    Real,
}

/// Twelve metrics as an agent's run has them: six on a small lattice, output tokens on a large one,
/// the rest resampled.
const MIXED: [Kind; 12] = [
    Kind::Share,
    Kind::Real,
    Kind::Real,
    Kind::Real,
    Kind::Share,
    Kind::Count,
    Kind::Count,
    Kind::Count,
    Kind::Count,
    Kind::Amount(50_000.0),
    Kind::Amount(800.0),
    Kind::Amount(20_000.0),
];

fn main() -> Result<(), Box<dyn Error>> {
    time("83 cases x 12 metrics, intervals", 83, &MIXED, false)?;
    time("83 cases x 12 metrics, with sign-flips", 83, &MIXED, true)?;
    time("83 cases x 12 real-valued metrics, intervals", 83, &[Kind::Real; 12], false)?;
    time("10000 cases x 12 real-valued metrics, intervals", 10_000, &[Kind::Real; 12], false)?;
    time("10000 cases x 1 real-valued metric, intervals", 10_000, &[Kind::Real; 1], false)?;
    time("10000 cases x 12 counts, intervals", 10_000, &[Kind::Count; 12], false)?;
    time("10000 cases x 12 counts, with sign-flips", 10_000, &[Kind::Count; 12], true)?;
    Ok(())
}

/// Best of five, after one to warm up, of the whole table from attempts to intervals.
fn time(name: &str, cases: u32, kinds: &[Kind], sign_flips: bool) -> Result<(), Box<dyn Error>> {
    let (attempts, columns) = suite(cases, kinds)?;
    let metrics: Vec<Metric<'_>> = columns.iter().map(|values| metric(values)).collect();
    let options = Options { resamples: RESAMPLES, sign_flips, ..Options::new(Pairing::SideMeans, 7) };
    let mut best = f64::INFINITY;
    for _ in 0..6 {
        let start = Instant::now();
        let rows = table(&attempts, &metrics, &options)?;
        best = best.min(start.elapsed().as_secs_f64());
        assert!(rows.iter().all(|r| r.interval.is_some()));
    }
    writeln!(stdout(), "{name}: {:.3} ms", best * 1e3)?;
    Ok(())
}

fn metric(values: &[Option<f64>]) -> Metric<'_> {
    Metric {
        values,
        better: Better::Lower,
        class: NoiseClass::Count,
        is_unit_share: false,
        question: Question::CasesLikeThese,
        is_cost: false,
    }
}

type Suite = (Attempts, Vec<Vec<Option<f64>>>);

fn suite(cases: u32, kinds: &[Kind]) -> Result<Suite, Box<dyn Error>> {
    let mut rows = Vec::new();
    let mut columns = vec![Vec::new(); kinds.len()];
    let mut stream = Stream::new(1, Purpose::Simulation, 0);
    for case in 0..cases {
        let level: Vec<f64> = kinds.iter().map(|_| stream.uniform()).collect();
        for side in [Side::Baseline, Side::Candidate] {
            for attempt in 1..=ATTEMPTS {
                rows.push(Attempt { case, side, attempt, status: Status::Ok });
                for ((column, kind), level) in columns.iter_mut().zip(kinds).zip(&level) {
                    let u = (level + stream.uniform()) / 2.0;
                    column.push(Some(match kind {
                        Kind::Share => f64::from(u > 0.3),
                        Kind::Count => (u * 4.0).floor(),
                        Kind::Amount(size) => (u * size * 2.0).round(),
                        Kind::Real => u,
                    }));
                }
            }
        }
    }
    Ok((Attempts::new(rows, cases as usize, None)?, columns))
}
