//! The experiment of `examples/stats_simulation.rs` in small: false alarms stay at their level and
//! planted effects are found about as often as they should be. Seeds are fixed, so this gives the
//! same shares every time.

#[path = "../examples/support/experiment.rs"]
mod experiment;
#[path = "../examples/support/worlds.rs"]
mod worlds;

use experiment::{attempts_outside_noise, replays_outside_noise, t_excludes_zero, twelve_guardrails};
use worlds::{Effect, WORLDS, World};

const SUITES: u64 = 800;
const SEED: u64 = 20_261;

#[test]
fn unchanged_code_is_rarely_called_changed() {
    for world in WORLDS {
        let alarms = t_excludes_zero(world, Effect::None, 83, SUITES, SEED);
        assert!((0.025..=0.065).contains(&alarms), "{world:?}: the interval excludes zero in {alarms}");
        let alarms = attempts_outside_noise(world, 83, SUITES, SEED);
        assert!((0.035..=0.08).contains(&alarms), "{world:?}: outside the noise in {alarms}");
    }
    let alarms = replays_outside_noise(83, SUITES, SEED);
    assert!((0.035..=0.065).contains(&alarms), "replays: outside the noise in {alarms}");
}

#[test]
fn a_gate_of_twelve_keeps_its_level() {
    let (regression, word) = twelve_guardrails(83, 250, SEED);
    assert!(regression <= 0.06, "a regression of unchanged code in {regression}");
    assert!(word <= 0.06, "a word about unchanged code in {word}");
}

#[test]
fn planted_effects_are_found() {
    let table = [
        (World::Binary, Effect::Shift, 0.556),
        (World::Binary, Effect::Broken, 0.347),
        (World::Count, Effect::Shift, 0.290),
        (World::Tokens, Effect::Shift, 0.346),
    ];
    for (world, effect, want) in table {
        let power = t_excludes_zero(world, effect, 83, SUITES, SEED);
        assert!((power - want).abs() < 0.05, "{world:?} {effect:?}: found in {power}, want {want}");
    }
}
