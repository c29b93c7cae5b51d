//! The shell of a page, and text that came from elsewhere.

use crate::metric::Exposure;
use maud::{DOCTYPE, PreEscaped, html};

const STYLE: &str = include_str!("style.css");

/// Nothing is loaded and nothing runs: what a server wrote can be shown and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// A page under way.
pub struct Page {
    body: String,
    title: String,
}

impl Page {
    pub fn new(title: &str) -> Self {
        Self { body: String::new(), title: title.to_owned() }
    }

    /// Adds markup.
    pub fn add(&mut self, markup: &str) {
        self.body.push_str(markup);
    }

    pub fn finish(self) -> String {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body { main { (PreEscaped(self.body)) } }
            }
        }
        .into_string()
    }
}

/// Text from a server, a suite or a recording: characters that show nothing, or turn a line around, as their code.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 400;
    shown_up_to(text, LONGEST)
}

/// The same without an end: for what must be taken whole, such as a command.
pub fn shown_whole(text: &str) -> String {
    shown_up_to(text, usize::MAX)
}

/// The same of a text whose lines are kept.
pub fn shown_lines(text: &str) -> String {
    text.split('\n')
        .map(|line| line.split('\t').map(shown_whole).collect::<Vec<_>>().join("\t"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn shown_up_to(text: &str, longest: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (place, c) in text.chars().enumerate() {
        if place == longest {
            out.push_str(" ...");
            break;
        }
        match is_hidden(c) {
            true => out.push_str(&format!("\u{27e8}U+{:04X}\u{27e9}", u32::from(c))),
            false => out.push(c),
        }
    }
    out
}

/// Sentences of ours have arrows of two characters, between which a narrow screen would break the line.
pub fn arrows(text: &str) -> String {
    text.replace(" -> ", " \u{2192} ")
}

/// Whether a case met the change.
pub fn exposure_word(exposed: Option<Exposure>) -> &'static str {
    match exposed {
        Some(Exposure::Exposed) => "seen",
        Some(Exposure::Unexposed) => "never seen",
        Some(Exposure::Unknown) | None => "not known",
    }
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_told_by_its_code() {
        assert_eq!(shown("a\0\u{1b}[31m\u{202e}b\n"), "a⟨U+0000⟩⟨U+001B⟩[31m⟨U+202E⟩b⟨U+000A⟩");
        assert_eq!(shown_lines("a\r\n\tb\0"), "a⟨U+000D⟩\n\tb⟨U+0000⟩");
        assert_eq!(shown("caf\u{e9} \u{1f600}"), "caf\u{e9} \u{1f600}");
    }

    #[test]
    fn a_page_allows_nothing_to_load() {
        let text = Page::new("</title><script>").finish();
        assert!(text.contains("default-src 'none'"), "{text}");
        assert!(text.contains("&lt;/title&gt;&lt;script&gt;") && !text.contains("<script"), "{text}");
    }
}
