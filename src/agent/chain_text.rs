//! The text of a chain, searched page by page: a passage that straddles two pages is found.
//!
//! The leaves at one place, or the pages of plain text, are one text cut into pages. They are joined in
//! two ways, with nothing and with one space, in reverse for a rule that reads backwards. Only the edge
//! of what was joined so far is kept: as much as the longest wanted text can reach back.

use super::content::{self, each_leaf};
use super::fold::{comparable, fold_space};
use super::toolbox::Tool;
use crate::client::{Page, Part};
use crate::suite::ContinuationRule;
use crate::text::Pattern;
use memchr::memmem;
use serde_json::Value;
use std::collections::HashMap;

struct Wanted {
    text: String,
    found: bool,
}

/// The texts that a need or evidence asks for, and what is needed to find them over page borders.
pub(super) struct ChainText {
    wanted: Vec<Wanted>,
    /// Characters kept of what was joined so far.
    reach: usize,
    streams: HashMap<String, [String; 2]>,
    first_lines: Option<Vec<String>>,
}

const JOINS: [&str; 2] = ["", " "];

impl ChainText {
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t String>) -> Self {
        let wanted: Vec<Wanted> = texts
            .into_iter()
            .map(|text| Wanted { text: comparable(text).trim().to_owned(), found: false })
            .collect();
        let longest = wanted.iter().map(|wanted| wanted.text.chars().count()).max().unwrap_or(0);
        // Removed separators make the text on the page up to a third longer; the rest is context for them.
        Self { wanted, reach: 2 * longest + 64, streams: HashMap::new(), first_lines: None }
    }

    /// How many of the texts were found.
    pub fn found(&self) -> usize {
        self.wanted.iter().filter(|wanted| wanted.found).count()
    }

    pub fn all_found(&self) -> bool {
        self.wanted.iter().all(|wanted| wanted.found)
    }

    /// Takes in the next visible page.
    pub fn take(&mut self, page: &Page, tool: &Tool, rule: Option<&ContinuationRule>, backwards: bool) {
        if self.all_found() {
            return;
        }
        let mut plain: Option<String> = None;
        for (index, part) in page.parts.iter().enumerate() {
            match part {
                Part::Text(text) => match &mut plain {
                    Some(joined) => {
                        joined.push('\n');
                        joined.push_str(text);
                    }
                    None => plain = Some(text.clone()),
                },
                Part::Json(document) => {
                    let mut leaves = Vec::new();
                    each_leaf(document, &mut |leaf| leaves.push(leaf));
                    for leaf in leaves {
                        let text = match leaf.value {
                            Value::String(text) => fold_space(text),
                            Value::Number(number) => number.to_string(),
                            _ => continue,
                        };
                        if leaf.in_array {
                            self.search(&text);
                        } else {
                            self.extend(format!("{index}{}", leaf.pointer), &text, backwards);
                        }
                    }
                }
            }
        }
        if let Some(text) = plain {
            let text = self.page_of_text(&text, tool, rule);
            self.extend("text".to_owned(), &fold_space(&text), backwards);
        }
    }

    /// A page of plain text without notices, leading lines of the first page, and line breaks at its ends.
    fn page_of_text(&mut self, text: &str, tool: &Tool, rule: Option<&ContinuationRule>) -> String {
        let mut patterns: Vec<&Pattern> =
            tool.rules.iter().flatten().flat_map(content::patterns_of).collect();
        patterns.extend(rule.iter().flat_map(|rule| content::patterns_of(rule)));
        let mut lines: Vec<&str> =
            text.lines().filter(|line| !patterns.iter().any(|pattern| pattern.is_match(line))).collect();
        match &self.first_lines {
            None => self.first_lines = Some(lines.iter().map(|line| (*line).to_owned()).collect()),
            Some(first) => {
                let same = lines.iter().zip(first).take_while(|(line, first)| *line == first).count();
                lines.drain(..same);
            }
        }
        lines.join("\n").trim_matches(['\n', '\r']).to_owned()
    }

    fn extend(&mut self, stream: String, page: &str, backwards: bool) {
        self.search(page);
        let reach = self.reach;
        let Some(edges) = self.streams.get(&stream).cloned() else {
            let edge = if backwards { head(page, reach) } else { tail(page, reach) };
            self.streams.insert(stream, [edge.to_owned(), edge.to_owned()]);
            return;
        };
        let joined: Vec<(String, String)> = edges
            .iter()
            .zip(JOINS)
            .map(|(edge, join)| {
                if backwards {
                    let whole = fold_space(&format!("{}{join}{edge}", tail(page, reach)));
                    let kept = if page.chars().count() >= reach {
                        head(page, reach).to_owned()
                    } else {
                        whole.clone()
                    };
                    (whole, head(&kept, reach).to_owned())
                } else {
                    let whole = fold_space(&format!("{edge}{join}{}", head(page, reach)));
                    let kept = if page.chars().count() >= reach {
                        tail(page, reach).to_owned()
                    } else {
                        whole.clone()
                    };
                    (whole, tail(&kept, reach).to_owned())
                }
            })
            .collect();
        for (whole, _) in &joined {
            self.search(whole);
        }
        let kept: Vec<String> = joined.into_iter().map(|(_, kept)| kept).collect();
        if let Ok(kept) = <[String; 2]>::try_from(kept) {
            self.streams.insert(stream, kept);
        }
    }

    fn search(&mut self, text: &str) {
        if self.all_found() {
            return;
        }
        let text = comparable(text);
        for wanted in self.wanted.iter_mut().filter(|wanted| !wanted.found) {
            wanted.found = memmem::find(text.as_bytes(), wanted.text.as_bytes()).is_some();
        }
    }
}

fn head(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(at, _)| &text[..at])
}

fn tail(text: &str, chars: usize) -> &str {
    let start = text.char_indices().rev().nth(chars.saturating_sub(1)).map_or(0, |(at, _)| at);
    if chars == 0 { "" } else { &text[start..] }
}
