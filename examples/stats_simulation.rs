//! False alarms and power of the judging, on simulated suites; prints Markdown.
//!
//! `cargo run --release --example stats_simulation -- [SUITES]` (4,000 without a number) with two
//! fixed seeds. The worlds and effects are those of `support/worlds.rs`.

#[path = "support/experiment.rs"]
mod experiment;
#[path = "support/worlds.rs"]
mod worlds;

use std::error::Error;
use std::io::{Write, stdout};

use experiment::{attempts_outside_noise, replays_outside_noise, t_excludes_zero, twelve_guardrails};
use worlds::{Effect, WORLDS, World};

const SEEDS: [u64; 2] = [20_261, 20_262];

/// World, effect, and the power of the 95 % t interval at 83 cases that was found elsewhere.
const PLANTED: [(World, Effect, &str, f64); 4] = [
    (World::Binary, Effect::Shift, "right answers: p times .9375 (-5 pp)", 0.556),
    (World::Binary, Effect::Broken, "right answers: 6.25 % of cases broken", 0.347),
    (World::Count, Effect::Shift, "continuation reads: q halved", 0.290),
    (World::Tokens, Effect::Shift, "tokens: +5 %", 0.346),
];

fn main() -> Result<(), Box<dyn Error>> {
    let suites = std::env::args().nth(1).map_or(Ok(4_000), |n| n.parse())?;
    let mut out = stdout().lock();
    writeln!(out, "{suites} suites a cell, 4 attempts a case and side, seeds {SEEDS:?}.\n")?;
    writeln!(out, "| unchanged code | 20 cases | 83 cases |\n|---|---|---|")?;
    let mut line = |name: &str, of: &dyn Fn(u32, u64) -> f64| -> Result<(), Box<dyn Error>> {
        let cell = |cases: u32| SEEDS.map(|seed| format!("{:.4}", of(cases, seed))).join(" / ");
        writeln!(out, "| {name} | {} | {} |", cell(20), cell(83))?;
        Ok(())
    };
    for world in WORLDS {
        let name = format!("{world:?}: 95 % t interval excludes zero");
        line(&name, &|cases, seed| t_excludes_zero(world, Effect::None, cases, suites, seed))?;
    }
    line("any regression of 12 guardrails at margin 0", &|cases, seed| {
        twelve_guardrails(cases, suites, seed).0
    })?;
    line("any better or worse in a table of 12", &|cases, seed| twelve_guardrails(cases, suites, seed).1)?;
    for world in WORLDS {
        let name = format!("{world:?}: outside 1.96 noise from attempts");
        line(&name, &|cases, seed| attempts_outside_noise(world, cases, suites, seed))?;
    }
    line("replays of 4 recordings: outside 1.96 noise from pairs", &|cases, seed| {
        replays_outside_noise(cases, suites, seed)
    })?;
    writeln!(out, "\n| planted effect, 83 cases | power of the t interval | reference |\n|---|---|---|")?;
    for (world, effect, name, reference) in PLANTED {
        let power = SEEDS.map(|seed| format!("{:.3}", t_excludes_zero(world, effect, 83, suites, seed)));
        writeln!(out, "| {name} | {} | {reference:.3} |", power.join(" / "))?;
    }
    Ok(())
}
