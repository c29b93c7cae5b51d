//! report.html and its pages of traces.

use crate::traces::*;
use mcp_regress::report;
use mcp_regress::words::{Metric, Outcome, Side, Split, Status};
use std::collections::BTreeMap;
use std::path::Path;

/// Every page of a folder by its name.
fn pages(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let html = entries.filter(|path| path.extension().is_some_and(|end| end == "html"));
    html.map(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    })
    .collect()
}

fn page(world: &World) -> String {
    let folder = tempfile::tempdir().unwrap();
    report::write_all(&world.report_in(folder.path()), folder.path()).unwrap();
    let mut pages = pages(folder.path());
    assert_eq!(pages.len(), 1);
    pages.remove("report.html").unwrap()
}

/// A case whose window grew, one that lost its need, one that is as it was.
fn world() -> World {
    let mut world = World::new();
    world.reads("a/paged", Split::Dev, |side, _| match side {
        Side::Candidate | Side::CandidateAgain => (vec![20_000], true),
        _ => (vec![8_000, 8_000, 4_000], true),
    });
    world.reads("b/lost", Split::Test, |side, _| (vec![60_000, 900], side.is_baseline_code()));
    world.reads("c/same", Split::Test, |_, _| (vec![700], true));
    world.rule(guardrail(Metric::EvidenceRecall));
    world
}

#[test]
fn a_page_says_what_a_reader_asks_in_this_order() {
    let text = page(&world());
    let mut from = 0;
    for words in [
        "<span class=\"word regression\">Regression</span>",
        "What was compared",
        "mcp-regress 0.1.0, seed 7",
        "<h2 id=\"rules\">",
        "<h2 id=\"metrics\">",
        "<title>change with its interval</title>",
        "<h2 id=\"flips\">",
        "b/lost",
        "right in 2 of 2",
        "right in 0 of 2",
        "Content was lost in (1)",
        "<h2 id=\"why\">",
        "evidence recall",
        "right 2 of 2 → 0 of 2",
        "no call",
        "never seen: it is not the change's doing",
        "<h2 id=\"oversized\">",
        "2 of 12",
        "2 of 8",
        "10,000 over",
        "<title>largest results and the limit</title>",
        "<h2 id=\"sizes\">",
        "<h2 id=\"chains\">",
        "<h2 id=\"exposure\">",
        "<h2 id=\"tools\">",
        "Byte-identical",
        "<h2 id=\"cases\">",
        "2 of 2 → 0 of 2",
        "<h2 id=\"traces\">",
        "<h2 id=\"power\">",
        "How to read this",
        "<section id=\"run\">",
        "How to make this again",
        "mcp-regress run",
        "mcp-regress report 20261130T191500Z-00432f3-7c1e",
    ] {
        let at = text[from..].find(words);
        assert!(at.is_some(), "`{words}` does not stand behind what should be before it in {text}");
        from += at.unwrap_or_default();
    }
    // Every link leads to something on the page.
    for link in text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        let id = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads away"));
        assert!(text.contains(&format!("id=\"{id}\"")), "{link}");
    }
}

#[test]
fn traces_mark_what_an_eye_looks_for() {
    let mut world = world();
    let stuck = world.attempt("c/same", CAND, 1);
    stuck.calls[0].is_stuck = true;
    stuck.calls[0].result_sha256 = "another".to_owned();
    let failed = world.attempt("c/same", CAND, 2);
    (failed.status, failed.failure) = (Status::Failed, Some("the server ended".to_owned()));
    failed.calls[0].outcome = Outcome::Crashed;
    let text = page(&world);
    for words in [
        "<li class=\"on differs\">",
        "oversized (chars), rejected",
        "read ended: met",
        "<span class=\"mark\">stuck</span>",
        "(other content)",
        "(another size)",
        "(another outcome)",
        "(this side alone)",
        "failed: the server ended",
        "need of step 1 not met",
    ] {
        assert!(text.contains(words), "{words}");
    }
}

/// What a server, a suite or a recording wrote is text, in whatever place it stands.
#[test]
fn nothing_that_others_wrote_means_anything() {
    let evil = "</script><script>x()</script><img src=x onerror=y()>\"'<!--\u{202e}\0\u{1b}[31m&lt;";
    let mut world = world();
    world.meta.rules_note = Some(evil.to_owned());
    world.meta.warnings.push(evil.to_owned());
    world.meta.client.profile = evil.to_owned();
    world.meta.protocol = evil.to_owned();
    world.meta.argv.push(evil.to_owned());
    let mut listed = side_meta(evil, tools(&[evil, "read_document"]));
    (listed.server_name, listed.protocol) = (Some(evil.to_owned()), Some(evil.to_owned()));
    world.meta.sides.insert("candidate".to_owned(), listed);
    let failed = world.attempt("c/same", CAND, 1);
    (failed.status, failed.failure) = (Status::Failed, Some(evil.to_owned()));
    failed.calls[0].tool = evil.to_owned();
    world.attempt("c/same", BASE, 2).calls[0].tool = evil.to_owned();
    let id = format!("d/{evil}");
    world.reads(&id, Split::Test, |side, _| (vec![900], side.is_baseline_code()));
    let text = page(&world);
    let shown = "&lt;/script&gt;&lt;script&gt;x()&lt;/script&gt;&lt;img src=x onerror=y()&gt;&quot;'&lt;!--\u{27e8}U+202E\u{27e9}\u{27e8}U+0000\u{27e9}\u{27e8}U+001B\u{27e9}[31m&amp;lt;";
    assert!(text.matches(shown).count() >= 10, "{} in {text}", text.matches(shown).count());
    for forbidden in
        ["<script", "<img", "<!--", "\u{202e}", "\0", "\u{1b}", "src=\"", "http://", "https://", "url("]
    {
        assert!(!text.contains(forbidden), "{forbidden:?}");
    }
}

#[test]
fn two_equal_runs_differ_in_the_block_of_the_run_alone() {
    let world = world();
    let mut later = world.clone();
    later.meta.run_id = "20270101T000000Z-aaaaaaa-0000".to_owned();
    later.meta.started_at = "2027-01-01T00:00:00Z".to_owned();
    later.meta.argv.push("--jobs=4".to_owned());
    for side in later.meta.sides.values_mut() {
        (side.revision_age_s, side.command) = (Some(86_400), vec!["/elsewhere/server".to_owned()]);
    }
    for attempt in &mut later.attempts {
        (attempt.started_ms, attempt.duration_ms) = (500.0, 40.0);
    }
    let (first, second) = (page(&world), page(&later));
    assert_ne!(first, second);
    let head = |text: &str| text.split("<section id=\"run\">").next().unwrap().to_owned();
    assert_eq!(head(&first), head(&second));
    assert!(!second.contains("/elsewhere"));
    assert!(second.contains("committed 24 hours before the run"), "{second}");
    assert!(
        first.contains("20.2 ms on the baseline") && second.contains("40.0 ms on the candidate"),
        "{second}"
    );
}

#[test]
fn large_runs_have_pages_of_traces_and_small_ones_lose_them_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut large = World::new();
    large.meta.same_code = 0;
    large.meta.candidate_again = false;
    for case in 0..1_100 {
        large.reads(&format!("many/{case:04}"), Split::Dev, |side, _| {
            (if side == CAND { vec![9_000] } else { vec![4_000, 5_000] }, true)
        });
    }
    report::write_all(&large.report_in(folder.path()), folder.path()).unwrap();
    let pages = pages(folder.path());
    let names: Vec<_> = pages.keys().map(String::as_str).collect();
    assert_eq!(names, ["report.html", "traces-1.html", "traces-2.html"]);
    let everything: String = pages.values().map(String::as_str).collect();
    for case in 0..1_100 {
        assert_eq!(everything.matches(&format!("<details id=\"case-{case}\">")).count(), 1, "{case}");
    }
    for (name, text) in &pages {
        assert!(text.len() < 3_000_000, "{name} has {} bytes", text.len());
        for link in text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            let (file, id) = link.split_once('#').unwrap_or((link, ""));
            let target = &pages[if file.is_empty() { name } else { file }];
            assert!(id.is_empty() || target.contains(&format!("id=\"{id}\"")), "{name}: {link}");
        }
    }
    assert!(pages["report.html"].contains("Here are 1000; all stand in cases.csv"));

    let small = world();
    report::write_all(&small.report_in(folder.path()), folder.path()).unwrap();
    assert_eq!(self::pages(folder.path()).len(), 1);
}
