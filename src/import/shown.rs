//! What the result of a call showed the agent.

use super::model::Output;
use super::notice::{Oversize, oversize};
use super::without_numbers::without_numbers;
use crate::client::{Block, Page};

/// What a call showed the agent.
#[derive(Debug, Clone)]
pub enum Shown {
    Page(Vec<Block>),
    /// A notice instead of the result.
    Notice(Oversize),
    /// The call failed; the text is no content.
    Error,
    /// No result is known.
    Nothing,
}

impl Shown {
    pub fn page(&self) -> Option<Page<'_>> {
        match self {
            Self::Page(blocks) => Some(Page::new(blocks, "\n")),
            _ => None,
        }
    }
}

/// What a result showed the agent.
pub(super) fn shown(output: &Output, is_own: bool) -> Shown {
    if let Some(first) = output.blocks().next().filter(|_| !is_own)
        && let Some(notice) = oversize(first.text())
    {
        return Shown::Notice(notice);
    }
    if output.is_error {
        return Shown::Error;
    }
    match &output.structured {
        Some(document) if !document.is_null() => Shown::Page(vec![Block::of_document(document.clone())]),
        _ if is_own => {
            Shown::Page(output.blocks().map(|block| Block::of_text(without_numbers(block.text()))).collect())
        }
        _ => Shown::Page(output.blocks().cloned().collect()),
    }
}

/// How the client says that a call never reached its tool.
const NEVER_MADE: [&str; 6] = [
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action",
    "Permission to use ",
    "Claude requested permissions to use ",
    "<tool_use_error>",
    "Error: No such tool available",
];

/// Whether the client kept the call to itself.
pub(crate) fn was_never_made(output: &Output) -> bool {
    output.is_error
        && output
            .blocks()
            .next()
            .is_some_and(|block| NEVER_MADE.iter().any(|start| block.text().starts_with(start)))
}
