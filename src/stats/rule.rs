//! From a metric's evidence to the verdict of a gate's rules.
//!
//! The lines are tried in order and the first that holds wins. A pass is never corrected for the
//! number of rules (all must pass, so each is tested at its own level); a regression is, by Holm,
//! over all guardrail rules of the run and split that are judged with a p.

use super::call::FEW_PAIRS;
use super::dist::{Z_95, normal_upper_tail, t_quantile, t_upper_tail};
use super::holm::holm;
use super::power::{cases_needed, passing_margin};
use super::{Better, NoiseClass, Question};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Must not get worse by more than the margin.
    Guardrail,
    /// Must improve by more than the margin.
    Goal,
    /// Shown, never judged.
    Info,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    Pass,
    Regression,
    Inconclusive,
    Incomplete,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Regression => "regression",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Incomplete => "incomplete",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// No pair to judge.
    NoPairs,
    /// A size differs, and fewer than [`FEW_PAIRS`] same-code pairs say that it repeats itself.
    FewPairs,
    /// The noise is not known: no repeat of the same code, or only the candidate does not repeat.
    NoiseUnknown,
    /// Every case changed by the same amount: no spread over cases to judge by.
    AllCasesAlike,
    /// Fewer than six cases can reject nothing about cases like these.
    TooFewCases,
    /// The noise is wider than what there is to decide.
    NotSettled,
    GoalNotMet,
}

impl Reason {
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::NoPairs => "no pairs",
            Reason::FewPairs => "few pairs",
            Reason::NoiseUnknown => "noise unknown",
            Reason::AllCasesAlike => "all cases alike",
            Reason::TooFewCases => "too few cases",
            Reason::NotSettled => "not settled",
            Reason::GoalNotMet => "goal not met",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    pub role: Role,
    pub question: Question,
    /// In the metric's unit, 0 or more.
    pub margin: f64,
}

/// What is known about one metric of one split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    pub better: Better,
    pub class: NoiseClass,
    /// A share whose values lie between 0 and 1.
    pub is_unit_share: bool,
    pub n_cases: usize,
    /// Cases, or clusters of them.
    pub n_units: usize,
    pub delta: f64,
    /// Over cases; absent with fewer than two units or when all deltas are equal.
    pub se: Option<f64>,
    pub all_zero: bool,
    pub noise_se: Option<f64>,
    pub deterministic: bool,
    pub same_code_pairs: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Absent for `info`.
    pub verdict: Option<Verdict>,
    pub reason: Option<Reason>,
    /// One-sided 95 % limit of the delta on its harmful side, in the delta's own sign.
    pub bound: Option<f64>,
    /// Of "harm at most the margin" (guardrail) or "improvement at most the margin" (goal).
    pub p: Option<f64>,
    /// Over the guardrails that have a p.
    pub p_holm: Option<f64>,
    /// "If the true difference is zero", for an inconclusive rule with a margin.
    pub cases_needed: Option<u64>,
    /// The smallest margin that unchanged code passes nine times in ten.
    pub passing_margin: Option<f64>,
}

/// Judges the rules of one run and split together.
pub fn judge(rules: &[(Rule, Evidence)]) -> Vec<Outcome> {
    let tests: Vec<Option<Test>> = rules.iter().map(|(rule, evidence)| test(rule, evidence)).collect();
    let guarded = |((rule, _), test): (&(Rule, Evidence), &Option<Test>)| match rule.role {
        Role::Guardrail => test.map(|t| t.p),
        Role::Goal | Role::Info => None,
    };
    let adjusted = holm(&rules.iter().zip(&tests).map(guarded).collect::<Vec<_>>());
    rules.iter().zip(tests).zip(adjusted).map(|((rule, test), p)| outcome(rule, test, p)).collect()
}

/// A rule that is judged with a p: its spread, and how the harm relates to the margin.
#[derive(Debug, Clone, Copy)]
struct Test {
    se: f64,
    /// The harm's 95 % limit.
    upper: f64,
    /// The improvement's 95 % limit from above: beyond it the goal is shown not to be met.
    lower: f64,
    p: f64,
}

/// The test of a rule, or none where the comparison is exact or nothing can be said.
fn test(rule: &Rule, e: &Evidence) -> Option<Test> {
    let h = e.better.harm(e.delta);
    // For a goal the improvement, -h, is tested against the margin.
    let excess = match rule.role {
        Role::Goal => -h - rule.margin,
        Role::Guardrail | Role::Info => h - rule.margin,
    };
    let (se, z, p) = match rule.question {
        _ if e.n_cases == 0 => return None,
        Question::TheseCases if e.deterministic => return None,
        Question::TheseCases => {
            let se = e.noise_se.filter(|se| *se > 0.0)?;
            (se, Z_95, normal_upper_tail(excess / se))
        }
        Question::CasesLikeThese if e.n_units < MIN_UNITS => return None,
        Question::CasesLikeThese => {
            let (se, df) = (e.se?, e.n_units - 1);
            (se, t_quantile(0.95, df)?, t_upper_tail(excess / se, df)?)
        }
    };
    Some(Test { se, upper: h + z * se, lower: h - z * se, p })
}

/// The smallest two-sided sign-flip p of n cases is 2 / 2^n: below six it is above .05.
const MIN_UNITS: usize = 6;

fn outcome((rule, e): &(Rule, Evidence), test: Option<Test>, p_holm: Option<f64>) -> Outcome {
    let (verdict, reason) = match (rule.role, test) {
        _ if e.n_cases == 0 => (Verdict::Incomplete, Some(Reason::NoPairs)),
        (_, None) => untested(rule, e),
        (Role::Goal, Some(test)) => {
            if -test.upper > rule.margin {
                (Verdict::Pass, None)
            } else if -test.lower < rule.margin {
                (Verdict::Regression, Some(Reason::GoalNotMet))
            } else {
                (Verdict::Inconclusive, Some(Reason::NotSettled))
            }
        }
        (Role::Guardrail | Role::Info, Some(test)) => {
            if test.upper < rule.margin {
                (Verdict::Pass, None)
            } else if p_holm.is_some_and(|p| p <= 0.05) {
                (Verdict::Regression, None)
            } else {
                (Verdict::Inconclusive, Some(Reason::NotSettled))
            }
        }
    };
    let judged = rule.role != Role::Info;
    let se = test.map(|t| t.se);
    let needed = match se.or(e.se) {
        Some(se) => cases_needed(e.n_cases, se, rule.margin),
        None => share_cases_needed(rule, e),
    };
    Outcome {
        verdict: judged.then_some(verdict),
        reason: reason.filter(|_| judged),
        bound: test.map(|t| e.better.harm(t.upper)),
        p: test.map(|t| t.p),
        p_holm,
        cases_needed: needed.filter(|_| judged && verdict == Verdict::Inconclusive),
        passing_margin: se.map(passing_margin),
    }
}

/// The lines without a p: exact comparisons, and what cannot be judged.
fn untested(rule: &Rule, e: &Evidence) -> (Verdict, Option<Reason>) {
    match rule.question {
        Question::TheseCases if e.deterministic => exact(rule, e),
        Question::TheseCases => (Verdict::Inconclusive, Some(Reason::NoiseUnknown)),
        Question::CasesLikeThese if e.all_zero && e.is_unit_share => {
            let small = share_bound(e.n_cases) < rule.margin;
            match (small, rule.role) {
                (true, Role::Goal) => (Verdict::Regression, Some(Reason::GoalNotMet)),
                (true, _) => (Verdict::Pass, None),
                (false, _) => (Verdict::Inconclusive, Some(Reason::AllCasesAlike)),
            }
        }
        Question::CasesLikeThese if e.n_units < MIN_UNITS => {
            (Verdict::Inconclusive, Some(Reason::TooFewCases))
        }
        Question::CasesLikeThese => (Verdict::Inconclusive, Some(Reason::AllCasesAlike)),
    }
}

/// On these cases the same code repeats itself, so the difference is a fact about them.
fn exact(rule: &Rule, e: &Evidence) -> (Verdict, Option<Reason>) {
    let h = e.better.harm(e.delta);
    let few_pairs = e.class == NoiseClass::Size && e.same_code_pairs < FEW_PAIRS;
    match rule.role {
        Role::Goal if few_pairs && h != 0.0 => (Verdict::Inconclusive, Some(Reason::FewPairs)),
        Role::Goal if -h > rule.margin => (Verdict::Pass, None),
        Role::Goal => (Verdict::Regression, Some(Reason::GoalNotMet)),
        _ if h <= rule.margin => (Verdict::Pass, None),
        _ if few_pairs => (Verdict::Inconclusive, Some(Reason::FewPairs)),
        _ => (Verdict::Regression, None),
    }
}

/// When none of n cases changed, the share of cases that would is below this with 95 %
/// confidence: 1 - .05^(1/n), about 3/n.
pub fn share_bound(n: usize) -> f64 {
    1.0 - 0.05f64.powf(1.0 / n as f64)
}

/// Cases for [`share_bound`] to fall below the margin.
fn share_cases_needed(rule: &Rule, e: &Evidence) -> Option<u64> {
    let open = rule.question == Question::CasesLikeThese && e.all_zero && e.is_unit_share;
    let wanted = || (0.05f64.ln() / (-rule.margin).ln_1p()).floor() as u64 + 1;
    (open && rule.margin > 0.0 && rule.margin < 1.0).then(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Incomplete, Inconclusive, Pass, Regression};

    const RULE: Rule = Rule { role: Role::Guardrail, question: Question::TheseCases, margin: 0.0 };
    const LIKE: Rule = Rule { question: Question::CasesLikeThese, margin: 0.05, ..RULE };
    const GOAL: Rule = Rule { role: Role::Goal, ..RULE };
    const SAME: Evidence = Evidence {
        better: Better::Lower,
        class: NoiseClass::Count,
        is_unit_share: false,
        n_cases: 83,
        n_units: 83,
        delta: 0.0,
        se: None,
        all_zero: true,
        noise_se: Some(0.0),
        deterministic: true,
        same_code_pairs: 332,
    };
    const UP: Evidence = Evidence { delta: 0.1, all_zero: false, se: Some(0.02), ..SAME };
    const NOISY: Evidence = Evidence { deterministic: false, noise_se: Some(0.02), ..UP };

    fn one(rule: Rule, evidence: Evidence) -> (Verdict, Option<&'static str>) {
        let outcome = judge(&[(rule, evidence)])[0];
        (outcome.verdict.unwrap(), outcome.reason.map(Reason::as_str))
    }

    #[test]
    fn guardrails_by_the_first_line_that_holds() {
        let size = Evidence { class: NoiseClass::Size, same_code_pairs: 9, ..UP };
        let share = Evidence { is_unit_share: true, better: Better::Higher, ..SAME };
        let table = [
            (RULE, Evidence { n_cases: 0, ..SAME }, Incomplete, Some("no pairs")),
            (RULE, SAME, Pass, None),
            (RULE, Evidence { n_cases: 1, n_units: 1, ..SAME }, Pass, None),
            (RULE, UP, Regression, None),
            (Rule { margin: 0.1, ..RULE }, UP, Pass, None),
            (RULE, Evidence { better: Better::Higher, ..UP }, Pass, None),
            (RULE, size, Inconclusive, Some("few pairs")),
            (RULE, Evidence { delta: -0.1, ..size }, Pass, None),
            (RULE, Evidence { same_code_pairs: 10, ..size }, Regression, None),
            (RULE, Evidence { same_code_pairs: 9, ..UP }, Regression, None),
            (RULE, NOISY, Regression, None),
            (RULE, Evidence { delta: 0.02, ..NOISY }, Inconclusive, Some("not settled")),
            (RULE, Evidence { delta: -0.1, ..NOISY }, Pass, None),
            (Rule { margin: 0.05, ..RULE }, Evidence { delta: 0.01, ..NOISY }, Pass, None),
            (RULE, Evidence { noise_se: None, ..NOISY }, Inconclusive, Some("noise unknown")),
            (LIKE, share, Pass, None),
            (Rule { margin: 0.03, ..LIKE }, share, Inconclusive, Some("all cases alike")),
            (LIKE, Evidence { n_cases: 5, n_units: 5, ..share }, Inconclusive, Some("all cases alike")),
            (LIKE, SAME, Inconclusive, Some("all cases alike")),
            (LIKE, Evidence { se: None, ..UP }, Inconclusive, Some("all cases alike")),
            (LIKE, Evidence { n_cases: 5, n_units: 5, ..UP }, Inconclusive, Some("too few cases")),
            (LIKE, UP, Regression, None),
            (LIKE, Evidence { delta: 0.01, ..UP }, Pass, None),
            (LIKE, Evidence { delta: 0.03, ..UP }, Inconclusive, Some("not settled")),
        ];
        for (rule, evidence, verdict, reason) in table {
            assert_eq!(one(rule, evidence), (verdict, reason), "{rule:?} {evidence:?}");
        }
    }

    #[test]
    fn goals_must_improve_by_more_than_the_margin() {
        let down = Evidence { delta: -0.1, ..UP };
        let noisy = Evidence { delta: -0.1, ..NOISY };
        let few = Evidence { class: NoiseClass::Size, same_code_pairs: 3, ..down };
        let table = [
            (GOAL, down, Pass, None),
            (GOAL, SAME, Regression, Some("goal not met")),
            (GOAL, UP, Regression, Some("goal not met")),
            (Rule { margin: 0.1, ..GOAL }, down, Regression, Some("goal not met")),
            (GOAL, few, Inconclusive, Some("few pairs")),
            (GOAL, noisy, Pass, None),
            (GOAL, Evidence { delta: -0.02, ..noisy }, Inconclusive, Some("not settled")),
            (GOAL, NOISY, Regression, Some("goal not met")),
        ];
        for (rule, evidence, verdict, reason) in table {
            assert_eq!(one(rule, evidence), (verdict, reason), "{rule:?} {evidence:?}");
        }
    }

    #[test]
    fn holm_goes_over_guardrails_that_have_a_p() {
        // p of each is .0228: one alone is a regression, three together are not.
        let weak = Evidence { delta: 0.04, ..NOISY };
        assert_eq!(one(RULE, weak), (Regression, None));
        let info = Rule { role: Role::Info, ..RULE };
        let outcomes =
            judge(&[(RULE, weak), (RULE, weak), (RULE, weak), (GOAL, weak), (info, weak), (RULE, UP)]);
        let p = outcomes[0].p.unwrap();
        assert!((p - 0.022750131948).abs() < 1e-9);
        assert_eq!(outcomes[0].p_holm, Some(3.0 * p));
        assert_eq!(outcomes[0].verdict, Some(Inconclusive));
        assert_eq!((outcomes[4].verdict, outcomes[4].p_holm), (None, None));
        assert_eq!((outcomes[5].verdict, outcomes[5].p), (Some(Regression), None));
    }

    #[test]
    fn an_inconclusive_rule_says_what_would_settle_it() {
        let open = Evidence { delta: 0.03, ..UP };
        let outcome = judge(&[(LIKE, open)])[0];
        // 83 (2.9264 x .02 / .05)^2 = 113.7.
        assert_eq!(outcome.cases_needed, Some(114));
        assert!((outcome.bound.unwrap() - (0.03 + 1.6636491840290775 * 0.02)).abs() < 1e-12);
        let higher = Evidence { better: Better::Higher, delta: -0.03, ..open };
        let bound = judge(&[(LIKE, higher)])[0].bound.unwrap();
        assert!((bound + 0.03 + 1.6636491840290775 * 0.02).abs() < 1e-12);
        let zero = Rule { margin: 0.0, ..LIKE };
        assert_eq!(judge(&[(zero, open)])[0].cases_needed, None);
        let share = Evidence { is_unit_share: true, ..SAME };
        let needed = judge(&[(Rule { margin: 0.01, ..LIKE }, share)])[0].cases_needed.unwrap();
        assert!(share_bound(needed as usize) < 0.01 && share_bound(needed as usize - 1) >= 0.01);
    }
}
