//! Simulated attempts: the three worlds in which the statistics are tried.
//!
//! A suite is a number of cases with four attempts a side. In `Binary` a case is right with a
//! probability of its own, Beta(.64, .16); in `Count` (continuation reads) 15 % of cases are active
//! with q from Beta(1, 2), and an attempt has Geometric(mean 1.5) reads with probability q, else
//! none; in `Tokens` the log of an attempt is N(ln 43500, .5) of the case plus N(0, .35).

use mcp_regress::stats::rng::{Purpose, Stream};
use mcp_regress::stats::sample::{Attempt, Attempts, Side, Status};

pub const ATTEMPTS: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    Binary,
    Count,
    Tokens,
}

pub const WORLDS: [World; 3] = [World::Binary, World::Count, World::Tokens];

/// What the candidate does to a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    None,
    /// p times .9375 (5 points of 80 %), q halved, or 5 % more tokens.
    Shift,
    /// 6.25 % of cases are never right again.
    Broken,
}

/// The keys of a suite: baseline, candidate and as many same-code sides as asked for.
pub fn keys(cases: u32, same_code: u16) -> Attempts {
    let sides = [Side::Baseline, Side::Candidate].into_iter().chain((1..=same_code).map(Side::SameCode));
    let sides: Vec<Side> = sides.collect();
    let row = |case: u32, side: Side, attempt: u32| Attempt { case, side, attempt, status: Status::Ok };
    let of_case = |case: u32| {
        let sides = sides.clone();
        sides.into_iter().flat_map(move |side| (1..=ATTEMPTS).map(move |attempt| row(case, side, attempt)))
    };
    Attempts::new((0..cases).flat_map(of_case).collect(), cases as usize, None).expect("keys are distinct")
}

/// One metric of a suite, in the order of [`keys`] without same-code sides.
pub fn column(world: World, effect: Effect, cases: u32, chance: &mut Chance) -> Vec<Option<f64>> {
    let mut values = Vec::with_capacity((cases * 2 * ATTEMPTS) as usize);
    for _ in 0..cases {
        let level = match world {
            World::Binary => chance.beta(0.64, 0.16),
            World::Count if chance.uniform() < 0.15 => chance.beta(1.0, 2.0),
            World::Count => 0.0,
            World::Tokens => 43_500f64.ln() + 0.5 * chance.normal(),
        };
        let changed = match (effect, world) {
            (Effect::None, _) => level,
            (Effect::Shift, World::Binary) => level * 0.9375,
            (Effect::Shift, World::Count) => level / 2.0,
            (Effect::Shift, World::Tokens) => level + 1.05f64.ln(),
            (Effect::Broken, _) if chance.uniform() < 0.0625 => 0.0,
            (Effect::Broken, _) => level,
        };
        for level in [level, changed] {
            values.extend((0..ATTEMPTS).map(|_| Some(attempt(world, level, chance))));
        }
    }
    values
}

fn attempt(world: World, level: f64, chance: &mut Chance) -> f64 {
    match world {
        World::Binary => f64::from(chance.uniform() < level),
        World::Count if chance.uniform() < level => {
            // Geometric from 1 with success probability 2/3.
            1.0 + ((1.0 - chance.uniform()).ln() / (1f64 / 3.0).ln()).floor()
        }
        World::Count => 0.0,
        World::Tokens => (level + 0.35 * chance.normal()).exp().round(),
    }
}

/// A replay of four different recordings a case, in the order of [`keys`] with one same-code side:
/// recordings differ by as much as attempts of an agent, two replays of one by far less.
pub fn replay(cases: u32, chance: &mut Chance) -> Vec<Option<f64>> {
    let mut values = Vec::with_capacity((cases * 3 * ATTEMPTS) as usize);
    for _ in 0..cases {
        let case = 43_500f64.ln() + 0.5 * chance.normal();
        let recordings: Vec<f64> = (0..ATTEMPTS).map(|_| case + 0.35 * chance.normal()).collect();
        for _ in 0..3 {
            values.extend(recordings.iter().map(|r| Some((r + 0.02 * chance.normal()).exp().round())));
        }
    }
    values
}

/// Random numbers of the shapes that the worlds need.
pub struct Chance(Stream);

impl Chance {
    /// The stream of one suite.
    pub fn new(seed: u64, suite: u64) -> Self {
        Chance(Stream::new(seed, Purpose::Simulation, suite))
    }

    pub fn uniform(&mut self) -> f64 {
        self.0.uniform()
    }

    /// Box and Muller 1958.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }

    fn beta(&mut self, a: f64, b: f64) -> f64 {
        let (x, y) = (self.gamma(a), self.gamma(b));
        x / (x + y)
    }

    /// Marsaglia and Tsang 2000.
    fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let boost = (1.0 - self.uniform()).powf(1.0 / shape);
            return self.gamma(shape + 1.0) * boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && (1.0 - self.uniform()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }
}
