//! Cases as files.

use crate::cli::ImportArgs;
use crate::commands::Failure;
use crate::import::ImportedCase;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The declarations of tools, beside the cases.
pub(super) const FRAGMENT: &str = "tools.toml";

/// What was written.
pub(super) struct Written {
    pub new: usize,
    /// There already, with the same bytes.
    pub same: usize,
}

/// The file of a case: parts of an id are joined by dots in it.
pub(super) fn file_of(out: &Path, id: &str) -> PathBuf {
    out.join(format!("{}.case.json", id.replace('/', ".")))
}

pub(super) fn text_of(json: &Value) -> String {
    format!("{json:#}\n")
}

/// Writes the cases and the declarations of their tools. Nothing is written when a file of another content is
/// in the way.
pub(super) fn write(args: &ImportArgs, cases: &[ImportedCase], fragment: &str) -> Result<Written, Failure> {
    let mut files: Vec<(PathBuf, String)> =
        cases.iter().map(|case| (file_of(&args.out, &case.id), text_of(&case.json))).collect();
    files.push((args.out.join(FRAGMENT), fragment.to_owned()));
    let mut written = Written { new: 0, same: 0 };
    let mut wanted = Vec::new();
    for (path, text) in &files {
        match fs_err::read(path) {
            Ok(there) if there == text.as_bytes() => written.same += 1,
            Ok(_) if !args.force && !path.ends_with(FRAGMENT) => {
                return Err(Failure::usage(format!("`{}` is there already, and differs", path.display()))
                    .hint("give another --out, or --force to write over it"));
            }
            Ok(_) | Err(_) => wanted.push((path, text)),
        }
    }
    fs_err::create_dir_all(&args.out)?;
    for (path, text) in wanted {
        fs_err::write(path, text)?;
        written.new += 1;
    }
    Ok(written)
}
