//! Texts that a need or evidence asks for, searched in the text of a chain page by page.

use super::fold::{comparable, fold_space};
use super::joints::Joints;
use super::texts::PageText;
use memchr::memmem::Finder;

struct Wanted {
    finder: Finder<'static>,
    found: bool,
}

/// The texts asked for, and what is needed to find them over page borders.
pub(super) struct WantedTexts {
    wanted: Vec<Wanted>,
    /// Bytes of the shortest text.
    shortest: usize,
    joints: Joints,
}

impl WantedTexts {
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t String>) -> Self {
        let texts: Vec<String> =
            texts.into_iter().map(|text| comparable(&fold_space(text)).trim().to_owned()).collect();
        let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        let shortest = texts.iter().map(String::len).min().unwrap_or(0);
        let finder = |text: &String| Finder::new(text.as_bytes()).into_owned();
        let wanted = texts.iter().map(|text| Wanted { finder: finder(text), found: false }).collect();
        // Removed separators make the text on the page up to a third longer; the rest is context for them.
        Self { wanted, shortest, joints: Joints::new(2 * longest + 64) }
    }

    /// How many of the texts were found, of the ones at these places.
    pub fn found(&self, places: std::ops::Range<usize>) -> usize {
        self.wanted[places].iter().filter(|wanted| wanted.found).count()
    }

    pub fn all_found(&self) -> bool {
        self.wanted.iter().all(|wanted| wanted.found)
    }

    /// Takes in a text of the next page.
    pub fn take(&mut self, text: &PageText<'_>, backwards: bool) {
        if self.all_found() {
            return;
        }
        let Self { wanted, shortest, joints } = self;
        search(wanted, *shortest, text.text);
        joints.join(text, backwards, &mut |whole| search(wanted, *shortest, whole));
    }
}

fn search(wanted: &mut [Wanted], shortest: usize, text: &str) {
    // Only what is not ASCII can grow when its case is folded.
    if text.len() < shortest && text.is_ascii() {
        return;
    }
    let text = comparable(text);
    for wanted in wanted.iter_mut().filter(|wanted| !wanted.found) {
        wanted.found = wanted.finder.find(text.as_bytes()).is_some();
    }
}
