//! The one place that hands out standard output and standard error.

use super::Failure;
use crate::cli::{OutputFlags, ProgressKind, When};
use std::borrow::Cow;
use std::io::{IsTerminal, Write};

/// How this process speaks: decided once, from flags, environment and terminal.
#[derive(Debug, Clone, Copy)]
pub struct Printer {
    pub color: bool,
    /// Columns of the terminal, 100 where there is none.
    pub width: usize,
    pub progress: ProgressKind,
    pub quiet: bool,
    pub verbose: u8,
}

/// Columns where no terminal says how many.
const DEFAULT_WIDTH: usize = 100;

impl Printer {
    pub fn new(flags: &OutputFlags) -> Self {
        let out = std::io::stdout().is_terminal();
        let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let color = match flags.color {
            When::Always => true,
            When::Never => false,
            When::Auto => out && !no_color && !is_dumb,
        };
        let bar = std::io::stderr().is_terminal() && !is_dumb;
        let progress = match flags.progress {
            _ if flags.quiet => ProgressKind::None,
            ProgressKind::Auto => {
                if bar {
                    ProgressKind::Bar
                } else {
                    ProgressKind::Plain
                }
            }
            asked => asked,
        };
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        Self {
            color,
            width: columns.unwrap_or(DEFAULT_WIDTH),
            progress,
            quiet: flags.quiet,
            verbose: flags.verbose,
        }
    }

    /// Data: standard output. A reader that has gone away is no error.
    pub fn data(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(unmeant(text).as_bytes()).and_then(|()| out.flush());
    }

    /// Commands to the CI around this process: the only lines that it may take for such. They go to standard error
    /// where standard output is for a program.
    pub fn command(&self, lines: &str, prints_data: bool) {
        let _ = if prints_data {
            std::io::stderr().lock().write_all(lines.as_bytes())
        } else {
            std::io::stdout().lock().write_all(lines.as_bytes())
        };
    }

    /// Something for the person: standard error.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.error_line(text);
        }
    }

    fn error_line(&self, text: &str) {
        let _ = writeln!(std::io::stderr().lock(), "{}", unmeant(text));
    }

    /// What went wrong, and what to do.
    pub fn failure(&self, failure: &Failure) {
        self.error_line(&format!("error: {}", harmless(&failure.message)));
        if let Some(hint) = &failure.hint {
            self.error_line(&format!("hint: {}", harmless(hint)));
        }
    }
}

/// Text of which a CI takes no line for a command: `::` at the begin of a line, `##[` and `##vso[` anywhere. In
/// JSON, where the latter stand in strings alone, they are written as the same strings.
fn unmeant(text: &str) -> Cow<'_, str> {
    let begins = |line: &str| line.trim_start().starts_with("::");
    if !text.contains("##[") && !text.contains("##vso[") && !text.lines().any(begins) {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| {
        let line = line.replace("##[", "##\\u005b").replace("##vso[", "##vso\\u005b");
        if begins(&line) { line.replacen("::", ": :", 1) } else { line }
    };
    Cow::Owned(text.split_inclusive('\n').map(line).collect())
}

/// Text of a server without control characters that a terminal would obey, and without commands that a CI
/// would read in its log.
pub fn harmless(text: &str) -> String {
    let acts = |c: char| (c.is_control() && c != '\n' && c != '\t') || crate::report::is_direction_mark(c);
    let plain: String = text.chars().map(|c| if acts(c) { '\u{fffd}' } else { c }).collect();
    crate::report::without_commands(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_ours_is_a_command_to_a_ci() {
        for (text, want) in [
            ("a::b\n", "a::b\n"),
            ("::error::x\n  ::debug::y\nz", ": :error::x\n  : :debug::y\nz"),
            ("x ##[add-mask]y", "x ##\\u005badd-mask]y"),
            ("{\"a\": \"##vso[task.x]\"}", "{\"a\": \"##vso\\u005btask.x]\"}"),
        ] {
            assert_eq!(unmeant(text), want);
        }
        let read: serde_json::Value = serde_json::from_str(&unmeant("\"##[x]\"")).unwrap();
        assert_eq!(read, "##[x]");
    }
}
