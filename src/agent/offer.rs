//! What one result offers beyond itself, outside any chain: for commands that look at a single call.

use super::chain_rule::{ChainRule, choose};
use super::need::{NeedState, Seen};
use super::news::Shown;
use super::request::Request;
use super::rule::Sight;
use super::toolbox::Tool;
use crate::case::Step;
use crate::client::Page;
use crate::suite::ContinuationRule;
use serde_json::{Map, Value};
use std::sync::Arc;

/// How a chain that began with this result would go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    pub rule: ContinuationRule,
    /// Found in the result, not declared in the suite.
    pub is_inferred: bool,
    /// The arguments of the next call.
    pub arguments: Map<String, Value>,
}

/// What `page`, the result of calling `tool` with `arguments`, offers; `None` when no rule matches on it.
pub fn offer(
    tool: &Arc<Tool>,
    arguments: &Map<String, Value>,
    page: &Page<'_>,
    ends_on_empty: bool,
) -> Option<Offer> {
    let request =
        Request { tool: Arc::clone(tool), arguments: arguments.clone(), key_arguments: arguments.clone() };
    let shown = Shown::default();
    let (rule, onward) = choose(&request, &Sight { page, shown: &shown, ends_on_empty })?;
    Some(Offer {
        rule: rule.of(tool)?.clone(),
        is_inferred: matches!(rule, ChainRule::Inferred(_)),
        arguments: onward.arguments,
    })
}

/// Whether this page alone, wholly visible, meets the step's need. `offers_no_more`: it is the last one.
pub fn meets_need(step: &Step, tool: &Arc<Tool>, page: &Page<'_>, offers_no_more: bool) -> bool {
    let mut need = NeedState::new(step);
    need.take(&Seen { page, tool, rule: None, is_whole: true, has_news: true, offers_no_more });
    need.is_met()
}
