//! Texts that are cut into pages, joined again where two pages meet.
//!
//! They are joined in two ways, with nothing and with one space, in reverse for a rule that reads backwards.
//! Only the edge of what was joined so far is kept: as much as anything looked for can reach back.

use super::fold::{fold_into, fold_space};
use super::texts::PageText;
use std::collections::HashMap;

const JOINS: [&str; 2] = ["", " "];

/// The edges of the texts of a chain.
#[derive(Debug)]
pub(super) struct Joints {
    /// Code points of either page that are looked at on both sides of a joint.
    reach: usize,
    /// By place: the text so far, or as much of its edge as can matter, joined in each way.
    edges: HashMap<String, [String; 2]>,
}

impl Joints {
    pub fn new(reach: usize) -> Self {
        Self { reach, edges: HashMap::new() }
    }

    /// Takes in a text of the next page; `see` gets what stands around the joint, once for each way.
    pub fn join(&mut self, text: &PageText<'_>, backwards: bool, see: &mut impl FnMut(&str)) {
        if text.stands_alone {
            return;
        }
        let place = match text.pointer {
            Some(pointer) => format!("{}{pointer}", text.document),
            None => String::new(),
        };
        let (page, reach) = (text.text, self.reach);
        let (near, far) = if backwards {
            (tail(page, reach), head(page, reach))
        } else {
            (head(page, reach), tail(page, reach))
        };
        // Of a page longer than the reach, the far edge alone is left.
        let is_whole = near.len() == page.len();
        match self.edges.get_mut(&place) {
            None => {
                self.edges.insert(place, [far.to_owned(), far.to_owned()]);
            }
            Some(edges) => {
                for (edge, join) in edges.iter_mut().zip(JOINS) {
                    let whole = if backwards { joined(near, join, edge) } else { joined(edge, join, near) };
                    see(&whole);
                    let kept = if is_whole { whole.as_str() } else { far };
                    *edge = if backwards { head(kept, reach) } else { tail(kept, reach) }.to_owned();
                }
            }
        }
    }
}

fn joined(before: &str, join: &str, after: &str) -> String {
    let mut whole = fold_space(before);
    fold_into(&mut whole, join);
    fold_into(&mut whole, after);
    whole
}

fn head(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(at, _)| &text[..at])
}

fn tail(text: &str, chars: usize) -> &str {
    let start = text.char_indices().rev().nth(chars.saturating_sub(1)).map_or(0, |(at, _)| at);
    if chars == 0 { "" } else { &text[start..] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(reach: usize, backwards: bool, pages: &[&str]) -> Vec<String> {
        let mut joints = Joints::new(reach);
        let mut seen = Vec::new();
        for text in pages {
            let text = PageText { pointer: None, document: 0, text, stands_alone: false };
            joints.join(&text, backwards, &mut |whole| seen.push(whole.to_owned()));
        }
        seen
    }

    #[test]
    fn pages_meet_in_both_ways_and_both_directions() {
        assert_eq!(walk(9, false, &["ab", "cd", "ef"]), ["abcd", "ab cd", "abcdef", "ab cd ef"]);
        assert_eq!(walk(9, true, &["ab", "cd", "ef"]), ["cdab", "cd ab", "efcdab", "ef cd ab"]);
        assert_eq!(
            walk(2, false, &["abc", "def", "g", "h"]),
            ["bcde", "bc de", "efg", "ef g", "fgh", " g h"]
        );
        assert_eq!(walk(2, true, &["abc", "def"]), ["efab", "ef ab"]);
        assert_eq!(walk(9, false, &["a ", " b"]), ["a b", "a b"]);
        assert_eq!(walk(9, false, &["a", "", "b"]), ["a", "a ", "ab", "a b"]);
    }
}
