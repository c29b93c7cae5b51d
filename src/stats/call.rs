//! The word of a table row: better, worse, or `~`.

use super::dist::Z_975;
use super::spread::Prediction;
use super::{Better, NoiseClass, Question};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Word {
    Better,
    Worse,
    Same,
}

impl Word {
    pub fn as_str(self) -> &'static str {
        match self {
            Word::Better => "better",
            Word::Worse => "worse",
            Word::Same => "~",
        }
    }
}

/// Why a word is `~` although the numbers differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallReason {
    /// A size differs, but fewer than ten same-code pairs say that it repeats itself.
    FewPairs,
    /// A cost went down while evidence was lost.
    ContentLost,
    /// Holm's p over the metrics of the table is above .05.
    NotSignificant,
    /// Inside what the same code does to itself.
    InsideSameCode,
    /// Every case changed by the same amount, so there is no spread over cases to judge by.
    AllCasesAlike,
    TooFewCases,
}

impl CallReason {
    pub fn as_str(self) -> &'static str {
        match self {
            CallReason::FewPairs => "few pairs",
            CallReason::ContentLost => "content lost",
            CallReason::NotSignificant => "not significant",
            CallReason::InsideSameCode => "inside same code",
            CallReason::AllCasesAlike => "all cases alike",
            CallReason::TooFewCases => "too few cases",
        }
    }
}

/// With fewer same-code pairs than this, a difference of a size proves nothing: a server with
/// timestamps can agree with itself by luck.
pub const FEW_PAIRS: usize = 10;

/// What the word of one row depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallInput {
    pub question: Question,
    pub better: Better,
    pub class: NoiseClass,
    pub n_cases: usize,
    pub delta: f64,
    pub deterministic: bool,
    pub same_code_pairs: usize,
    /// Holm over the two-sided t p-values of all metrics of the table and split.
    pub p_holm: Option<f64>,
    pub noise_se: Option<f64>,
    pub prediction: Option<Prediction>,
    /// evidence_recall is worse on the same pairs, and this is a cost metric.
    pub content_lost: bool,
}

/// The word and, for a `~` at a difference, its reason; `None` without any case.
pub fn call(input: &CallInput) -> Option<(Word, Option<CallReason>)> {
    if input.n_cases == 0 {
        return None;
    }
    if input.delta == 0.0 {
        return Some((Word::Same, None));
    }
    if let Some(reason) = held_back(input) {
        return Some((Word::Same, Some(reason)));
    }
    Some(match input.better.harm(input.delta) > 0.0 {
        true => (Word::Worse, None),
        false if input.content_lost => (Word::Same, Some(CallReason::ContentLost)),
        false => (Word::Better, None),
    })
}

fn held_back(input: &CallInput) -> Option<CallReason> {
    if input.question == Question::TheseCases && input.deterministic {
        let few = input.class == NoiseClass::Size && input.same_code_pairs < FEW_PAIRS;
        return few.then_some(CallReason::FewPairs);
    }
    match input.p_holm {
        None if input.n_cases < 2 => return Some(CallReason::TooFewCases),
        None => return Some(CallReason::AllCasesAlike),
        Some(p) if p > 0.05 => return Some(CallReason::NotSignificant),
        Some(_) => {}
    }
    let inside = match input.prediction.filter(|p| p.runs >= Prediction::JUDGES_FROM) {
        Some(prediction) => (prediction.low..=prediction.high).contains(&input.delta),
        None => input.noise_se.is_some_and(|se| input.delta.abs() <= Z_975 * se),
    };
    inside.then_some(CallReason::InsideSameCode)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: CallInput = CallInput {
        question: Question::TheseCases,
        better: Better::Lower,
        class: NoiseClass::Count,
        n_cases: 83,
        delta: -0.1,
        deterministic: true,
        same_code_pairs: 332,
        p_holm: None,
        noise_se: None,
        prediction: None,
        content_lost: false,
    };

    #[test]
    fn the_word_follows_the_question() {
        let noisy = CallInput { deterministic: false, noise_se: Some(0.02), ..BASE };
        let five = Prediction { runs: 5, low: -0.2, high: 0.2 };
        let table = [
            (BASE, Word::Better, None),
            (CallInput { delta: 0.0, ..BASE }, Word::Same, None),
            (CallInput { better: Better::Higher, ..BASE }, Word::Worse, None),
            (CallInput { content_lost: true, ..BASE }, Word::Same, Some(CallReason::ContentLost)),
            (
                CallInput { class: NoiseClass::Size, same_code_pairs: 9, ..BASE },
                Word::Same,
                Some(CallReason::FewPairs),
            ),
            (CallInput { class: NoiseClass::Size, same_code_pairs: 10, ..BASE }, Word::Better, None),
            (
                CallInput { question: Question::CasesLikeThese, p_holm: Some(0.2), ..BASE },
                Word::Same,
                Some(CallReason::NotSignificant),
            ),
            (CallInput { p_holm: Some(0.01), ..noisy }, Word::Better, None),
            (
                CallInput { p_holm: Some(0.01), noise_se: Some(0.06), ..noisy },
                Word::Same,
                Some(CallReason::InsideSameCode),
            ),
            (
                CallInput { p_holm: Some(0.01), prediction: Some(five), ..noisy },
                Word::Same,
                Some(CallReason::InsideSameCode),
            ),
            (noisy, Word::Same, Some(CallReason::AllCasesAlike)),
            (CallInput { n_cases: 1, ..noisy }, Word::Same, Some(CallReason::TooFewCases)),
        ];
        for (input, word, reason) in table {
            assert_eq!(call(&input), Some((word, reason)), "{input:?}");
        }
        assert_eq!(call(&CallInput { n_cases: 0, ..BASE }), None);
    }
}
