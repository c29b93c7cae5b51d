//! Globs of files and of case ids.

use globset::{GlobBuilder, GlobMatcher};

/// `cases` when the suite does not say.
pub(super) const DEFAULT_CASES: [&str; 2] = ["**/*.case.json", "**/*.cases.jsonl"];

/// Whether these are the globs of a suite that does not say where its cases are.
pub fn are_default_globs(globs: &[String]) -> bool {
    let is_default =
        |(glob, default): (&String, &str)| glob.strip_prefix("cases/").unwrap_or(glob) == default;
    globs.len() == DEFAULT_CASES.len() && globs.iter().zip(DEFAULT_CASES).all(is_default)
}

/// Why a text is no glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is no glob: {reason}")]
pub struct GlobError {
    pub glob: String,
    pub reason: String,
}

/// A glob of case ids; `*` also stands for `/`.
#[derive(Debug, Clone)]
pub struct IdGlob(GlobMatcher);

impl IdGlob {
    /// Compiles a glob.
    ///
    /// # Errors
    /// When it has a fault, such as an open bracket.
    pub fn new(glob: &str) -> Result<Self, GlobError> {
        compile(glob, false).map(Self)
    }

    pub fn matches(&self, id: &str) -> bool {
        self.0.is_match(id)
    }
}

/// Compiles a glob; with `separated`, `*` and `?` do not stand for `/`.
pub(crate) fn compile(glob: &str, separated: bool) -> Result<GlobMatcher, GlobError> {
    GlobBuilder::new(glob)
        .literal_separator(separated)
        .build()
        .map(|built| built.compile_matcher())
        .map_err(|error| GlobError { glob: glob.to_owned(), reason: error.kind().to_string() })
}
