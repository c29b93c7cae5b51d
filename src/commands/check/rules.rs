//! Rules that hardly any unchanged code can pass.

use crate::suite::{Bound, Margin, Rule};
use crate::words::{Question, Role};

/// A guardrail on cases like these with margin 0: unless the metric repeats itself exactly, only a real
/// improvement passes it.
pub(super) fn warnings(rules: &[Rule]) -> Vec<String> {
    let is_strict = |rule: &&Rule| match &rule.bound {
        Bound::Relative { margin, role: Role::Guardrail, question: Some(Question::CasesLikeThese) } => {
            matches!(margin, Margin::Absolute(value) | Margin::Percent(value) if *value == 0.0)
        }
        _ => false,
    };
    let one = |rule: &Rule| {
        format!(
            "the rule on `{}` asks about cases like these with margin 0: unless the metric is deterministic, only a real \
             improvement passes it; give it a `margin`, at least 2.93 times the standard error that a run shows (`se` in metrics.csv)",
            rule.subject.as_str()
        )
    };
    rules.iter().filter(is_strict).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_guardrail_on_cases_like_these_without_a_margin_is_strict() {
        for (keys, is_strict) in [
            ("question = \"cases-like-these\"", true),
            ("question = \"cases-like-these\"\nmargin = \"0%\"", true),
            ("question = \"cases-like-these\"\nmargin = 0.1", false),
            ("question = \"cases-like-these\"\nrole = \"goal\"", false),
            ("question = \"these-cases\"", false),
            ("max = 0", false),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("mcp-regress.toml");
            fs_err::write(&file, format!("format_version = 1\n[[rule]]\nmetric = \"tool_calls\"\n{keys}\n"))
                .unwrap();
            let suite = crate::suite::load(&file).unwrap();
            assert_eq!(warnings(&suite.rules).len(), usize::from(is_strict), "{keys}");
        }
    }
}
