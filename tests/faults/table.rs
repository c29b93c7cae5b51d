//! `docs/faults.md`: a row a trial, written by the test that runs them.
//!
//! `WRITE_DOCS=1 cargo test --test faults` writes it anew, figures included; without, everything but
//! time and memory must be as it stands there.

use crate::path::{Trial, trial};
use crate::specs::{self, Over, Spec};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Mutex;

/// Trials at a time: most of them wait for a time limit.
const AT_A_TIME: usize = 4;
const HEAD: &str = include_str!("faults-head.md");

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/faults.md")
}

/// What each number means, as the fixture server has it.
fn meanings() -> BTreeMap<String, String> {
    let source = include_str!("../../src/fixture/faults/mod.rs");
    let values = source.split("#[value(name = \"").skip(1);
    let pairs = values.filter_map(|value| value.split_once("\", help = \""));
    pairs.map(|(name, rest)| (name.to_owned(), rest.split('"').next().unwrap().to_owned())).collect()
}

fn all_trials() -> Vec<Trial> {
    let only = std::env::var("ONLY_FAULT").ok();
    let specs =
        specs::all().into_iter().filter(|spec| only.as_deref().is_none_or(|only| only == spec.number));
    let planned: Vec<(Spec, &'static str)> = specs
        .flat_map(|spec| {
            let transports: &[&'static str] = match spec.over {
                Over::Stdio => &["stdio"],
                Over::Http => &["HTTP"],
                Over::Both => &["stdio", "HTTP"],
            };
            transports.iter().map(move |transport| (spec.clone(), *transport)).collect::<Vec<_>>()
        })
        .collect();
    let (next, done) = (Mutex::new(planned.into_iter().enumerate()), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let Some((place, (spec, transport))) = next.lock().unwrap().next() else { return };
                    let trial = trial(spec, transport);
                    done.lock().unwrap().insert(place, trial);
                }
            });
        }
    });
    done.into_inner().unwrap().into_values().collect()
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The columns that are the same every time, and the ones that are measured.
fn row(trial: &Trial, meanings: &BTreeMap<String, String>) -> (String, String) {
    let spec = &trial.spec;
    let meaning = meanings.get(spec.number).cloned().unwrap_or_default();
    let meaning = if spec.variant.is_empty() { meaning } else { format!("{meaning} ({})", spec.variant) };
    let stable = format!(
        "| {} | {} | {} | {} | {} | {} | {} |",
        spec.number,
        cell(&meaning),
        trial.transport,
        cell(&trial.outcome),
        trial.ended.code.map_or_else(|| "none".to_owned(), |code| code.to_string()),
        cell(&trial.said),
        if trial.wrong.is_empty() { "yes" } else { "NO" },
    );
    (stable, format!(" {:.1} | {} |", trial.ended.took.as_secs_f64(), trial.ended.peak_mb))
}

#[test]
fn every_fault_ends_in_a_green_row() {
    let meanings = meanings();
    let trials = all_trials();
    let wrong: String =
        trials.iter().filter(|trial| !trial.wrong.is_empty()).fold(String::new(), |mut text, trial| {
            let Trial { spec, transport, outcome, said, ended, wrong } = trial;
            let _ = write!(
                text,
                "{} {} over {transport}: {}\n  outcome: {outcome}\n  said: {said}\n{}\n{}\n",
                spec.number,
                spec.variant,
                wrong.join("; "),
                ended.out,
                ended.err
            );
            text
        });
    let rows: Vec<(String, String)> = trials.iter().map(|trial| row(trial, &meanings)).collect();
    if std::env::var_os("WRITE_DOCS").is_some() {
        let text =
            rows.iter().fold(HEAD.to_owned(), |text, (stable, measured)| text + stable + measured + "\n");
        std::fs::write(file(), text).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong}");
    if std::env::var_os("ONLY_FAULT").is_some() {
        return;
    }
    let numbers: BTreeSet<&str> = trials.iter().map(|trial| trial.spec.number).collect();
    assert!(meanings.keys().map(String::as_str).eq(numbers.iter().copied()), "a number without a trial");
    let written = std::fs::read_to_string(file()).unwrap();
    for (stable, _) in rows {
        assert!(
            written.lines().any(|line| line.starts_with(&stable)),
            "docs/faults.md has not this row; see tests/faults/table.rs for how to write it anew:\n{stable}"
        );
    }
}
