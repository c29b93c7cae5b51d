//! The bounded run of the fuzz targets, on stable Rust: every committed seed, its beginnings, and mutations of it
//! that are the same every time. `FUZZ_ROUNDS` says how many mutations each seed gets.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

use mcp_regress::fuzzing::{TARGETS, Target};
use std::path::{Path, PathBuf};

const ROUNDS: u64 = 150;
/// Bytes that parsers look for.
const SIGNS: &[u8] = b"{}[]\",:\\/=#$ \n\r\t\x0019eE-.ud\xff\xe2\x82\xed\xa0";

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus")
}

fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(corpus().join(target)).unwrap();
    let mut seeds: Vec<_> = entries
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap())
        })
        .collect();
    seeds.sort();
    seeds
}

/// SplitMix64.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
}

/// One to four changes: a byte, a sign put in, a piece taken out, doubled, or brought in from another seed.
fn mutated(seed: &[u8], other: &[u8], draws: &mut Draws) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=draws.below(4) {
        let at = draws.below(bytes.len() + 1);
        let end = (at + 1 + draws.below(24)).min(bytes.len());
        match draws.below(6) {
            0 if at < bytes.len() => bytes[at] = draws.below(256) as u8,
            1 if at < end => drop(bytes.drain(at..end)),
            2 if at < end => {
                let piece = bytes[at..end].repeat(1 + draws.below(40));
                bytes.splice(at..at, piece);
            }
            3 => {
                let from = draws.below(other.len());
                let to = (from + draws.below(40)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            4 => bytes.truncate(at),
            _ => bytes.insert(at.min(bytes.len()), SIGNS[draws.below(SIGNS.len())]),
        }
    }
    bytes
}

fn try_on(name: &str, target: Target, what: &str, bytes: &[u8]) {
    let tried = std::panic::catch_unwind(|| target(bytes));
    assert!(tried.is_ok(), "{name}: {what} panics; the input: {:?}", String::from_utf8_lossy(bytes));
}

#[test]
fn seeds_and_their_mutations_hold() {
    let rounds = std::env::var("FUZZ_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    for (name, target) in TARGETS {
        let seeds = seeds(name);
        assert!(seeds.len() >= 2, "{name} has too few seeds");
        let mut draws = Draws(7);
        for (seed, bytes) in &seeds {
            try_on(name, target, seed, bytes);
            for length in (0..bytes.len()).step_by((bytes.len() / 40).max(1)) {
                try_on(name, target, &format!("{seed} cut to {length} bytes"), &bytes[..length]);
            }
            for round in 0..rounds {
                let (_, other) = &seeds[draws.below(seeds.len())];
                let bytes = mutated(bytes, other, &mut draws);
                try_on(name, target, &format!("{seed}, mutation {round}"), &bytes);
            }
        }
    }
}

/// A target that nobody runs, or seeds that nobody feeds, would go unseen.
#[test]
fn every_target_has_its_file_and_its_seeds() {
    let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    let manifest = std::fs::read_to_string(corpus().with_file_name("Cargo.toml")).unwrap();
    for name in &names {
        let path = corpus().with_file_name("fuzz_targets").join(format!("{name}.rs"));
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains(&format!("fuzzing::{name}(")), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
    for entry in std::fs::read_dir(corpus()).unwrap() {
        let folder = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(names.contains(&folder.as_str()), "seeds of no target: {folder}");
    }
}
