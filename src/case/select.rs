//! Which cases a run replays.

use super::Case;
use crate::suite::{GlobError, IdGlob};
use crate::words::Split;

/// What to keep; an empty list or `None` keeps all.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Globs of ids; one must match.
    pub ids: Vec<String>,
    pub split: Option<Split>,
    /// The case must have one of them.
    pub tags: Vec<String>,
}

/// The cases that a selection keeps, in their order.
///
/// # Errors
/// When a text is no glob.
pub fn select(cases: Vec<Case>, selection: &Selection) -> Result<Vec<Case>, GlobError> {
    let globs: Vec<IdGlob> = selection.ids.iter().map(|glob| IdGlob::new(glob)).collect::<Result<_, _>>()?;
    let keeps = |case: &Case| {
        (globs.is_empty() || globs.iter().any(|glob| glob.matches(&case.id)))
            && selection.split.is_none_or(|split| split == case.split)
            && (selection.tags.is_empty() || selection.tags.iter().any(|tag| case.tags.contains(tag)))
    };
    Ok(cases.into_iter().filter(keeps).collect())
}
