//! Text of at most so many bytes, made of rows that stay whole or go.

/// A text that grows by whole rows while its budget lasts.
pub struct Budgeted {
    text: String,
    /// Bytes that may still be written, what says that rows are left out aside.
    left: usize,
}

/// What one sentence about left out rows may take.
const NOTE: usize = 200;
/// The share of what is left that one section may take, so that a long one does not eat the others.
const SHARE: usize = 2;

impl Budgeted {
    /// An empty text of fewer than `bytes` bytes; `sections` may each have to say what was left out.
    pub fn new(bytes: usize, sections: usize) -> Self {
        Self { text: String::new(), left: bytes.saturating_sub(sections * NOTE + 1) }
    }

    /// Writes a text whole, or not at all. Returns whether it is there.
    pub fn whole(&mut self, text: &str) -> bool {
        let fits = text.len() <= self.left;
        if fits {
            self.text.push_str(text);
            self.left -= text.len();
        }
        fits
    }

    /// Writes `head`, then as many whole rows as go into half of what is left, then what was left out: `what`
    /// names the rows and where all of them stand. Nothing when there is no row.
    pub fn rows(&mut self, head: &str, rows: &[String], what: &str) {
        self.rows_between(head, rows, "", what);
    }

    /// The same, with something after the rows that are there.
    pub fn rows_between(&mut self, head: &str, rows: &[String], tail: &str, what: &str) {
        if rows.is_empty() {
            return;
        }
        let share = (self.left / SHARE).saturating_sub(tail.len());
        let mut written = 0;
        let mut part = head.to_owned();
        for row in rows {
            if part.len() + row.len() > share {
                break;
            }
            part.push_str(row);
            written += 1;
        }
        if written > 0 {
            part.push_str(tail);
            self.left -= part.len();
            self.text.push_str(&part);
        }
        if written < rows.len() {
            let mut note =
                format!("\n{} of {} {what} are left out here.\n", rows.len() - written, rows.len());
            // The reserve is for this: only a name that nobody chose could be longer.
            note.truncate(note.floor_char_boundary(NOTE));
            self.text.push_str(&note);
        }
    }

    /// Whether the text ends with an empty line.
    pub fn ends_with_blank(&self) -> bool {
        self.text.ends_with("\n\n")
    }

    /// The text.
    pub fn text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_whole_and_what_is_cut_is_said_within_the_budget() {
        for (bytes, rows, row) in
            [(2_000, 10_000, 37), (2_000, 3, 37), (1_500, 5, 5_000), (60_000, 10_000, 80)]
        {
            let mut text = Budgeted::new(bytes, 2);
            let rows = vec![format!("{}\n", "x".repeat(row)); rows];
            text.rows("head a\n", &rows, "rows (a.csv)");
            text.rows("head b\n", &rows, "rows (b.csv)");
            let text = text.text();
            assert!(text.len() < bytes, "{} of {bytes}", text.len());
            let whole = text.lines().filter(|line| line.starts_with('x')).collect::<Vec<_>>();
            assert!(whole.iter().all(|line| line.len() == row));
            let said: usize = text
                .lines()
                .filter_map(|line| line.strip_suffix("are left out here."))
                .map(|line| line.split(' ').next().unwrap().parse::<usize>().unwrap())
                .sum();
            assert_eq!(whole.len() + said, 2 * rows.len());
        }
    }
}
