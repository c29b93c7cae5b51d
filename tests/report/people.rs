//! What a person sees: the terminal's table and the pull request's paragraph.

use crate::traces::*;
use mcp_regress::report::{self, TerminalOptions};
use mcp_regress::suite::{Require, Special, Subject};
use mcp_regress::words::{Metric, Outcome, Split};

fn gated(mut world: World) -> World {
    world.rule(guardrail(Metric::ContinuationReads));
    world.rule(guardrail(Metric::EvidenceRecall));
    world.rule(at_most(Subject::Metric(Metric::OversizedResults), 0.0, CAND));
    world.rule(at_most(special(Special::Flips), 0.0, CAND));
    world.rule(require(Require::Identical));
    world
}

fn shown(world: &World) -> String {
    let options = TerminalOptions {
        width: Some(100),
        color: false,
        folder: Some("results/some-run".to_owned()),
        rounds: Vec::new(),
    };
    report::terminal(&world.report(), &options)
}

fn worlds() -> Vec<(&'static str, World)> {
    let mut lost = gated(windows());
    lost.attempts.iter_mut().filter(|a| a.case_id == "docs/case-05" && !a.side.is_baseline_code()).for_each(
        |a| {
            a.needs[0].met = false;
            a.needs[0].met_at_call = None;
        },
    );
    let mut few = World::new();
    few.reads("only", Split::Dev, |side, _| {
        (vec![if side.is_baseline_code() { 5_000 } else { 6_000 }], true)
    });
    few.rule(guardrail(Metric::ResultChars));
    let mut silent = gated(windows());
    silent
        .attempts
        .retain(|attempt| attempt.side != CAND || attempt.attempt != 2 || attempt.case_id != "docs/case-03");
    vec![
        ("better", gated(windows())),
        ("worse", gated(windows_of(21_333, 8_000))),
        ("unchanged", gated(windows_of(8_000, 8_000))),
        ("content_lost", lost),
        ("few_pairs", few),
        ("incomplete", silent),
        ("not_gated", windows()),
    ]
}

#[test]
fn the_terminal_tells_each_story() {
    for (name, world) in worlds() {
        insta::assert_snapshot!(format!("terminal_{name}"), shown(&world));
    }
}

#[test]
fn the_paragraph_tells_each_story() {
    for (name, world) in worlds() {
        insta::assert_snapshot!(format!("markdown_{name}"), report::summary_md(&world.report()));
    }
}

/// Warnings stand above the numbers, the next step is the last line, and no line is wider than the screen.
#[test]
fn every_screen_shows_it_in_this_order() {
    let mut noisy = gated(windows_of(21_333, 8_000));
    let again = noisy.attempts.iter_mut().filter(|attempt| attempt.side == SAME && attempt.attempt == 2);
    again.for_each(|attempt| attempt.calls[0].result_chars += 17);
    let paint = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    for (name, world) in worlds().into_iter().chain([("noisy", noisy)]) {
        let report = world.report();
        for (width, color) in [(80, false), (80, true), (120, false), (120, true)] {
            let folder = Some("results/some-run".to_owned());
            let options = TerminalOptions { width: Some(width), color, folder, rounds: Vec::new() };
            let text = report::terminal(&report, &options);
            let plain = paint.replace_all(&text, "");
            for line in plain.lines() {
                assert!(line.chars().count() <= width, "{name} {width}: {line}");
            }
            let at = |words: &str| plain.find(words);
            let numbers = at("95 % CI").unwrap();
            assert!(at("warning:").is_none_or(|warning| warning < numbers), "{name}: {plain}");
            assert_eq!(plain.lines().last(), Some("report: results/some-run/report.html"), "{name}");
            assert!(plain.is_ascii(), "{name}: {plain}");
        }
    }
}

#[test]
fn colour_changes_no_letter() {
    let report = gated(windows_of(21_333, 8_000)).report();
    let plain = report::terminal(&report, &TerminalOptions::default());
    let painted = report::terminal(&report, &TerminalOptions { color: true, ..TerminalOptions::default() });
    let paint = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    assert_ne!(plain, painted);
    assert_eq!(paint.replace_all(&painted, ""), plain);
}

#[test]
fn a_server_can_write_no_markdown_and_no_escape() {
    let evil = "@all [x](http://e.test) <!-- `\u{1b}[2J | \u{202e}";
    let mut world = gated(windows());
    for attempt in world.attempts.iter_mut().filter(|a| a.side == CAND) {
        for call in &mut attempt.calls {
            call.tool = evil.to_owned();
            call.unknown_arguments = vec![evil.to_owned()];
            call.outcome = Outcome::ToolError;
        }
    }
    let side = world.meta.sides.get_mut("candidate").unwrap();
    side.revision = None;
    side.server_name = Some(evil.to_owned());
    side.tools_list = Some(tools(&[evil]));
    let report = world.report();
    let markdown = report::summary_md(&report);
    let outside = regex::Regex::new("`[^`\n]*`").unwrap().replace_all(&markdown, "").into_owned();
    for forbidden in ["@all", "](", "<!--", "http:", "\u{1b}", "\u{202e}"] {
        assert!(!outside.contains(forbidden), "{forbidden:?} in {outside}");
    }
    let terminal = report::terminal(&report, &TerminalOptions::default());
    assert!(!terminal.contains('\u{1b}') && !terminal.contains('\u{202e}'), "{terminal}");
}
