//! The metrics: one number per attempt, each with a name, a unit, a direction and a noise class.

word_enum!(
/// The unit of a metric.
Unit {
    Calls => "calls", Chains => "chains", Results => "results", Chars => "chars", Bytes => "bytes",
    Tokens => "tokens", Turns => "turns", Share => "share", Milliseconds => "ms",
});

word_enum!(
    /// Which direction is an improvement.
    Better { Lower => "lower", Higher => "higher" });

word_enum!(
    /// How a metric may differ between two runs of the same code.
    NoiseClass { Size => "size", Count => "count", Share => "share", Time => "time" });

word_enum!(
/// A metric of the bench. Order is the order of tables and columns.
Metric {
    ToolCalls => "tool_calls",
    AgentCalls => "agent_calls",
    ReadCalls => "read_calls",
    ContinuationReads => "continuation_reads",
    ShrunkRetries => "shrunk_retries",
    SpillReads => "spill_reads",
    RepeatedReads => "repeated_reads",
    StuckChains => "stuck_chains",
    CappedChains => "capped_chains",
    OversizedResults => "oversized_results",
    MaxResultChars => "max_result_chars",
    ResultChars => "result_chars",
    ResultWireBytes => "result_wire_bytes",
    ViewChars => "view_chars",
    InputTokens => "input_tokens",
    OutputTokens => "output_tokens",
    Turns => "turns",
    EvidenceRecall => "evidence_recall",
    CallsToEvidence => "calls_to_evidence",
    Errors => "errors",
    DurationMs => "duration_ms",
    Correct => "correct",
    Completeness => "completeness",
    Truthfulness => "truthfulness",
    SourceRecall => "source_recall",
    CitedGold => "cited_gold",
});

impl Metric {
    /// The unit of the metric.
    pub const fn unit(self) -> Unit {
        use Metric::*;
        match self {
            ToolCalls | AgentCalls | ReadCalls | ContinuationReads | ShrunkRetries | SpillReads
            | RepeatedReads | CallsToEvidence | Errors => Unit::Calls,
            StuckChains | CappedChains => Unit::Chains,
            OversizedResults => Unit::Results,
            MaxResultChars | ResultChars | ViewChars => Unit::Chars,
            ResultWireBytes => Unit::Bytes,
            InputTokens | OutputTokens => Unit::Tokens,
            Turns => Unit::Turns,
            EvidenceRecall | Correct | Completeness | Truthfulness | SourceRecall | CitedGold => Unit::Share,
            DurationMs => Unit::Milliseconds,
        }
    }

    /// Which direction is an improvement: shares are better higher, costs are better lower.
    pub const fn better(self) -> Better {
        match self.unit() {
            Unit::Share => Better::Higher,
            _ => Better::Lower,
        }
    }

    /// The noise class, by the unit.
    pub const fn noise_class(self) -> NoiseClass {
        match self.unit() {
            Unit::Calls | Unit::Chains | Unit::Results | Unit::Turns => NoiseClass::Count,
            Unit::Chars | Unit::Bytes | Unit::Tokens => NoiseClass::Size,
            Unit::Share => NoiseClass::Share,
            Unit::Milliseconds => NoiseClass::Time,
        }
    }

    /// The metrics that a replay without a model yields, in order; clock values are apart.
    pub fn of_replay() -> impl Iterator<Item = Metric> {
        use Metric::*;
        Metric::ALL
            .iter()
            .copied()
            .take_while(|metric| *metric != DurationMs)
            .filter(|metric| !matches!(metric, OutputTokens | Turns))
    }
}
