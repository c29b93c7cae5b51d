//! Builds journals in code: what a run would have written, without running one.

use mcp_regress::case::RecordedCounts;
use mcp_regress::report::{self, Report};
use mcp_regress::suite::{Bound, Margin, Require, Rule, Special, Subject};
use mcp_regress::text::sha256_hex;
use mcp_regress::trace::{
    AttemptRecord, CallRecord, CaseMeta, ClientMeta, FORMAT_VERSION, GateSettings, NeedRecord, RunMeta,
    RunStatus, SideMeta, ToolMeta, ToolsListMeta,
};
use mcp_regress::words::{
    ChainEnd, Evidence, Metric, NeedKind, OnOversized, Outcome, ReplayMode, Role, Side, Split, Status,
    ToolKind, ViewKind,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub const BASE: Side = Side::Baseline;
pub const CAND: Side = Side::Candidate;
pub const SAME: Side = Side::SameCode(1);
pub const AGAIN: Side = Side::CandidateAgain;

/// A run: its meta and the attempts of its journal.
#[derive(Clone)]
pub struct World {
    pub meta: RunMeta,
    pub attempts: Vec<AttemptRecord>,
}

impl World {
    /// Two attempts a side, one same-code side, the candidate repeated, no rule.
    pub fn new() -> Self {
        let meta = RunMeta {
            format_version: FORMAT_VERSION,
            tool_version: "0.1.0".to_owned(),
            run_id: "20261130T191500Z-00432f3-7c1e".to_owned(),
            status: RunStatus::Complete,
            started_at: "2026-11-30T19:15:00Z".to_owned(),
            cwd: String::new(),
            argv: vec!["mcp-regress".to_owned(), "run".to_owned()],
            seed: 7,
            attempts: 2,
            same_code: 1,
            candidate_again: true,
            a_a: false,
            replay: ReplayMode::Adaptive,
            on_oversized: OnOversized::RetrySmaller,
            resamples: 200,
            suite_path: "/somewhere/mcp-regress.toml".to_owned(),
            suite_sha256: sha256_hex("suite"),
            cases: BTreeMap::new(),
            client: ClientMeta {
                profile: "claude-code".to_owned(),
                sha256: sha256_hex("client"),
                unit: "utf16".to_owned(),
                limit: Some(50_000),
                token_estimator: "utf8-bytes/3".to_owned(),
            },
            protocol: "2025-11-25".to_owned(),
            rules: Vec::new(),
            gate: GateSettings::default(),
            rules_note: None,
            sides: BTreeMap::new(),
            shard: None,
            baseline_run: None,
            confirm: None,
            warnings: Vec::new(),
        };
        let mut world = Self { meta, attempts: Vec::new() };
        world.meta.sides.insert("baseline".to_owned(), side_meta("65f7696", tools(&["read_document"])));
        world.meta.sides.insert("candidate".to_owned(), side_meta("00432f3", tools(&["read_document"])));
        world
    }

    /// A case without attempts.
    pub fn case(&mut self, id: &str, split: Split) -> &mut CaseMeta {
        self.meta.cases.entry(id.to_owned()).or_insert_with(|| CaseMeta {
            sha256: sha256_hex(id),
            split,
            cluster: None,
            skipped: false,
            recorded: BTreeMap::new(),
        })
    }

    /// All planned attempts of a case: `pages(side, attempt)` are the sizes of the pages that a
    /// chain reads, and whether its need was met.
    pub fn reads(&mut self, id: &str, split: Split, pages: impl Fn(Side, u32) -> (Vec<u64>, bool)) {
        self.case(id, split);
        let planned = self.planned();
        for (side, number) in planned {
            let (sizes, met) = pages(side, number);
            self.attempts.push(walk(id, split, side, number, &sizes, met));
        }
    }

    pub fn planned(&self) -> Vec<(Side, u32)> {
        let sides = [BASE, CAND].into_iter().chain((1..=self.meta.same_code).map(Side::SameCode));
        let attempts = 1..=self.meta.attempts;
        let mut planned: Vec<_> = sides.flat_map(|side| attempts.clone().map(move |a| (side, a))).collect();
        if self.meta.candidate_again {
            planned.push((AGAIN, 1));
        }
        planned
    }

    pub fn attempt(&mut self, id: &str, side: Side, number: u32) -> &mut AttemptRecord {
        let found =
            self.attempts.iter_mut().find(|a| (a.case_id.as_str(), a.side, a.attempt) == (id, side, number));
        found.expect("the attempt is in the world")
    }

    pub fn rule(&mut self, rule: Rule) -> &mut Self {
        self.meta.rules.push(rule);
        self
    }

    /// Writes the journal and builds the report from it.
    pub fn report(&self) -> Report {
        let folder = tempfile::tempdir().expect("a folder");
        self.report_in(folder.path())
    }

    /// The same in a folder that outlives the call, for what reads the journal again.
    pub fn report_in(&self, folder: &Path) -> Report {
        let journal = write_journal(folder, &self.attempts);
        report::build(self.meta.clone(), &[journal]).expect("a report")
    }
}

pub fn write_journal(folder: &Path, attempts: &[AttemptRecord]) -> PathBuf {
    let path = folder.join("attempts.jsonl");
    let lines: String =
        attempts.iter().map(|attempt| serde_json::to_string(attempt).expect("JSON") + "\n").collect();
    std::fs::write(&path, lines).expect("a journal");
    path
}

pub fn side_meta(revision: &str, tools_list: ToolsListMeta) -> SideMeta {
    SideMeta {
        revision: Some(revision.to_owned()),
        server_name: Some("search".to_owned()),
        server_version: Some("1.0".to_owned()),
        protocol: Some("2025-11-25".to_owned()),
        tools_list: Some(tools_list),
        ..SideMeta::default()
    }
}

pub fn tools(names: &[&str]) -> ToolsListMeta {
    let tools: Vec<ToolMeta> = names.iter().map(|name| tool(name)).collect();
    list_of(tools)
}

pub fn list_of(tools: Vec<ToolMeta>) -> ToolsListMeta {
    let text = format!("{tools:?}").replace(", input_schema: None", "");
    ToolsListMeta { bytes: text.len() as u64, sha256: sha256_hex(&text), tools }
}

pub fn tool(name: &str) -> ToolMeta {
    ToolMeta {
        name: name.to_owned(),
        sha256: sha256_hex(name),
        description_sha256: sha256_hex("a tool"),
        arguments: vec!["id".to_owned(), "limit".to_owned()],
        required: vec!["id".to_owned()],
        read_only: Some(true),
        input_schema: None,
    }
}

/// One chain of pages with one need; sizes over 50,000 are oversized and refused.
pub fn walk(id: &str, split: Split, side: Side, number: u32, sizes: &[u64], met: bool) -> AttemptRecord {
    let mut calls: Vec<CallRecord> =
        sizes.iter().enumerate().map(|(page, size)| read(id, page as u32, *size)).collect();
    let end = if met { ChainEnd::Met } else { ChainEnd::End };
    if let Some(last) = calls.last_mut() {
        last.chain_end = Some(end);
    }
    let met_at_call = met.then(|| calls.len().saturating_sub(1) as u32);
    AttemptRecord {
        case_id: id.to_owned(),
        split,
        cluster: None,
        side,
        attempt: number,
        recording_id: format!("r{number}"),
        status: Status::Ok,
        failure: None,
        inputs_sha256: sha256_hex("inputs"),
        needs: vec![need(0, met, end, met_at_call)],
        calls,
        notes: BTreeMap::new(),
        oddities: BTreeMap::new(),
        started_ms: 1.5,
        duration_ms: 20.25,
    }
}

pub fn need(step_index: u32, met: bool, end: ChainEnd, met_at_call: Option<u32>) -> NeedRecord {
    NeedRecord {
        step_index,
        has_need: true,
        kind: NeedKind::Written,
        pages_only: false,
        met,
        chain_end: Some(end),
        evidence_seen: 0,
        evidence_total: 0,
        met_at_call,
        bracket: None,
    }
}

/// Page number `page` of a chain of step 0.
pub fn read(id: &str, page: u32, size: u64) -> CallRecord {
    let is_over = size > 50_000;
    let view_chars = if is_over { 200 } else { size };
    CallRecord {
        step_index: 0,
        tool: "read_document".to_owned(),
        kind: ToolKind::Read,
        in_read_step: true,
        continuation: (page > 0).then_some(Evidence::Offered),
        continues_call_index: page.checked_sub(1),
        is_shrunk_retry: false,
        is_repeat: false,
        is_stuck: false,
        chain_index: Some(0),
        chain_end: None,
        spill_reads: 0,
        rule: (page > 0).then(|| "0".to_owned()),
        outcome: Outcome::Ok,
        result_wire_bytes: size + 40,
        result_chars: size,
        view_chars,
        view: if is_over { ViewKind::Rejected } else { ViewKind::Whole },
        oversized_by: if is_over { vec![mcp_regress::words::Layer::Chars] } else { Vec::new() },
        tokens_estimated: size / 3,
        view_tokens_estimated: view_chars / 3,
        body_sha256: None,
        result_sha256: sha256_hex(format!("{id} {page} {size}")),
        arguments_sha256: sha256_hex(format!("read_document {id} {page}")),
        past_need: false,
        unknown_arguments: Vec::new(),
        started_ms: 2.0,
        duration_ms: 3.125,
    }
}

pub fn recorded(read_calls: u64, continuation_reads: u64) -> RecordedCounts {
    RecordedCounts {
        read_calls: Some(read_calls),
        continuation_reads: Some(continuation_reads),
        ..RecordedCounts::default()
    }
}

pub fn guardrail(metric: Metric) -> Rule {
    relative(Subject::Metric(metric), Margin::Absolute(0.0), Role::Guardrail)
}

pub fn relative(subject: Subject, margin: Margin, role: Role) -> Rule {
    Rule {
        subject,
        bound: Bound::Relative { margin, role, question: None },
        split: None,
        cases: None,
        is_implied: false,
    }
}

pub fn at_most(subject: Subject, max: f64, on: Side) -> Rule {
    Rule {
        subject,
        bound: Bound::Absolute { max: Some(max), min: None, on },
        split: None,
        cases: None,
        is_implied: false,
    }
}

pub fn at_least(subject: Subject, min: f64, on: Side) -> Rule {
    Rule {
        subject,
        bound: Bound::Absolute { max: None, min: Some(min), on },
        split: None,
        cases: None,
        is_implied: false,
    }
}

pub fn special(special: Special) -> Subject {
    Subject::Special(special)
}

/// A reader whose window grows from 8,000 to 21,333: twelve cases, four of them test, four long.
pub fn windows() -> World {
    windows_of(8_000, 21_333)
}

/// The same with the window of the baseline and of the candidate given.
pub fn windows_of(baseline: u64, candidate: u64) -> World {
    let mut world = World::new();
    for case in 0..12u32 {
        let split = if case % 3 == 0 { Split::Test } else { Split::Dev };
        let id = format!("docs/case-{case:02}");
        world.reads(&id, split, |side, number| {
            let length = if case < 4 { 18_000 + 1_000 * u64::from(number) } else { 4_000 };
            let window = if side.is_baseline_code() { baseline } else { candidate };
            let pages = length.div_ceil(window);
            ((0..pages).map(|page| window.min(length - page * window)).collect(), true)
        });
        let counts = if case < 4 { recorded(3, 2) } else { recorded(1, 0) };
        let case = world.case(&id, split);
        case.recorded = BTreeMap::from([("r1".to_owned(), counts), ("r2".to_owned(), counts)]);
    }
    world
}

pub fn require(require: Require) -> Rule {
    Rule {
        subject: Subject::Special(Special::ToolsList),
        bound: Bound::Require { require, on: CAND },
        split: None,
        cases: None,
        is_implied: false,
    }
}
