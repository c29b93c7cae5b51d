//! The rule by which a chain goes on, chosen on the first page that offers more and kept to its end.

use super::infer::{self, Inferred};
use super::request::Request;
use super::rule::{self, Onward, Sight};
use super::toolbox::Tool;
use crate::suite::{ContinuationRule, Next};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(super) enum ChainRule {
    /// By its place in the tool's declaration.
    Declared(usize),
    Inferred(Arc<Inferred>),
}

impl ChainRule {
    /// The rule itself; `None` for a place that the tool's declaration does not have.
    pub fn of<'r>(&'r self, tool: &'r Tool) -> Option<&'r ContinuationRule> {
        match self {
            Self::Declared(index) => tool.rules.as_ref()?.get(*index),
            Self::Inferred(found) => Some(&found.rule),
        }
    }

    /// How the trace names it.
    pub fn label(&self) -> String {
        match self {
            Self::Declared(index) => index.to_string(),
            Self::Inferred(_) => "inferred".to_owned(),
        }
    }

    /// The server keeps the cursor: every request of the chain repeats the one before.
    pub fn is_same(&self, tool: &Tool) -> bool {
        self.of(tool).is_some_and(|rule| matches!(rule.next, Next::Same))
    }

    /// The next request, or `None` when the rule does not match on the page: the server offers no more.
    pub fn onward(&self, request: &Request, sight: &Sight<'_>) -> Option<Onward> {
        match self {
            Self::Declared(_) => rule::next_request(self.of(&request.tool)?, request, sight),
            Self::Inferred(found) => found.onward(request, sight),
        }
    }
}

/// The first rule that matches on the page, and the request that it makes. A rule whose argument the first
/// call carries, and the side's schema has, comes before all others: a chain keeps its direction.
pub(super) fn choose(request: &Request, sight: &Sight<'_>) -> Option<(ChainRule, Onward)> {
    let Some(rules) = &request.tool.rules else {
        return infer::infer(request, sight)
            .map(|(rule, onward)| (ChainRule::Inferred(Arc::new(rule)), onward));
    };
    let is_carried = |rule: &ContinuationRule| {
        let carried = |name: &str| request.sent(name).is_some() && request.tool.schema.has(name);
        rule.argument().is_some_and(carried)
    };
    let matching = |index: usize| {
        let onward = rule::next_request(&rules[index], request, sight)?;
        Some((ChainRule::Declared(index), onward))
    };
    let carried = (0..rules.len()).filter(|index| is_carried(&rules[*index])).find_map(matching);
    carried.or_else(|| (0..rules.len()).find_map(matching))
}
