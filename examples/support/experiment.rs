//! The experiment: how often does the judging say "changed", with and without a change?

use std::num::NonZero;

use mcp_regress::stats::call::{CallInput, Word, call};
use mcp_regress::stats::dist::Z_975;
use mcp_regress::stats::holm::holm;
use mcp_regress::stats::interval::t_interval;
use mcp_regress::stats::rule::{Evidence, Role, Rule, Verdict, judge};
use mcp_regress::stats::sample::{Attempts, Pairing, Sample, Selection};
use mcp_regress::stats::spread::{attempt_noise, spread};
use mcp_regress::stats::{Better, NoiseClass, Question};

use crate::worlds::{Chance, Effect, WORLDS, World, column, keys, replay};

/// The share of suites in which something was said.
pub type Share = f64;

/// How often the 95 % t interval of one metric excludes zero.
pub fn t_excludes_zero(world: World, effect: Effect, cases: u32, suites: u64, seed: u64) -> Share {
    let keys = keys(cases, 0);
    share(suites, |suite| {
        let sample = sample(&keys, &column(world, effect, cases, &mut Chance::new(seed, suite)));
        t_interval(&sample).is_some_and(|t| t.low > 0.0 || t.high < 0.0)
    })
}

/// How often unchanged code is outside 1.96 times the noise measured from its attempts.
pub fn attempts_outside_noise(world: World, cases: u32, suites: u64, seed: u64) -> Share {
    let keys = keys(cases, 0);
    share(suites, |suite| {
        let sample = sample(&keys, &column(world, Effect::None, cases, &mut Chance::new(seed, suite)));
        let delta = sample.mean(|c| c.delta);
        attempt_noise(&sample).is_some_and(|se| delta.abs() > Z_975 * se)
    })
}

/// The same for replays of four different recordings, with the noise from same-code pairs.
pub fn replays_outside_noise(cases: u32, suites: u64, seed: u64) -> Share {
    let keys = keys(cases, 1);
    let selection = Selection::ok_only(Pairing::SameAttempt);
    share(suites, |suite| {
        let column = replay(cases, &mut Chance::new(seed, suite));
        let sample = Sample::new(&keys, &column, selection).expect("numbers are finite");
        let spread = spread(&keys, &column, &sample, selection).expect("numbers are finite");
        let delta = sample.mean(|c| c.delta);
        spread.noise_se.is_some_and(|se| delta.abs() > Z_975 * se)
    })
}

/// How often a gate of twelve guardrails at margin 0 calls unchanged code a regression, and how
/// often its table of twelve says better or worse of anything.
pub fn twelve_guardrails(cases: u32, suites: u64, seed: u64) -> (Share, Share) {
    let keys = keys(cases, 0);
    let rule = Rule { role: Role::Guardrail, question: Question::CasesLikeThese, margin: 0.0 };
    let rows = |suite: u64| -> Vec<(Rule, Evidence, Option<f64>)> {
        let mut chance = Chance::new(seed, suite);
        let row = |metric: usize| {
            let world = WORLDS[metric % WORLDS.len()];
            let sample = sample(&keys, &column(world, Effect::None, cases, &mut chance));
            (rule, evidence(world, &sample), t_interval(&sample).map(|t| t.p))
        };
        (0..12).map(row).collect()
    };
    let regression = share(suites, |suite| {
        let rules: Vec<(Rule, Evidence)> = rows(suite).into_iter().map(|r| (r.0, r.1)).collect();
        judge(&rules).iter().any(|o| o.verdict == Some(Verdict::Regression))
    });
    let word = share(suites, |suite| {
        let rows = rows(suite);
        let adjusted = holm(&rows.iter().map(|r| r.2).collect::<Vec<_>>());
        let words = rows.iter().zip(adjusted).map(|((_, e, _), p_holm)| call(&call_input(e, p_holm)));
        words.flatten().any(|(word, _)| word != Word::Same)
    });
    (regression, word)
}

fn sample(keys: &Attempts, column: &[Option<f64>]) -> Sample {
    Sample::new(keys, column, Selection::ok_only(Pairing::SideMeans)).expect("numbers are finite")
}

fn evidence(world: World, sample: &Sample) -> Evidence {
    Evidence {
        better: if world == World::Binary { Better::Higher } else { Better::Lower },
        class: NoiseClass::Count,
        is_unit_share: world == World::Binary,
        n_cases: sample.n(),
        n_units: sample.units.len(),
        delta: sample.mean(|c| c.delta),
        se: t_interval(sample).map(|t| t.se),
        all_zero: sample.all_zero(),
        noise_se: attempt_noise(sample),
        deterministic: false,
        same_code_pairs: 0,
    }
}

fn call_input(e: &Evidence, p_holm: Option<f64>) -> CallInput {
    CallInput {
        question: Question::CasesLikeThese,
        better: e.better,
        class: e.class,
        n_cases: e.n_cases,
        delta: e.delta,
        deterministic: false,
        same_code_pairs: 0,
        p_holm,
        noise_se: e.noise_se,
        prediction: None,
        content_lost: false,
    }
}

/// The share of suites for which `says` holds, over all processors.
fn share(suites: u64, says: impl Fn(u64) -> bool + Sync) -> Share {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let count = |first: u64| (first..suites).step_by(threads as usize).filter(|s| says(*s)).count();
    let total: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|first| scope.spawn(move || count(first))).collect();
        workers.into_iter().map(|w| w.join().expect("a worker does not panic")).sum()
    });
    total as f64 / suites as f64
}
