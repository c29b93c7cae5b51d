//! Cells and tables: how a value stands in a CSV file, and what a table's columns mean.

use crate::text::decimal;
use std::borrow::Cow;
use std::io::{self, Write};

/// One value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'r> {
    /// Missing: an empty cell.
    Empty,
    Text(Cow<'r, str>),
    Count(u64),
    Number(f64),
    Flag(bool),
}

impl<'r> Cell<'r> {
    pub fn text(text: impl Into<Cow<'r, str>>) -> Self {
        Self::Text(text.into())
    }

    /// The text that the file shows.
    pub fn render(&self) -> Cow<'_, str> {
        match self {
            Self::Empty => "".into(),
            Self::Text(text) => guarded(text),
            Self::Count(count) => count.to_string().into(),
            Self::Number(number) => decimal(*number).into(),
            Self::Flag(flag) => if *flag { "true" } else { "false" }.into(),
        }
    }
}

impl<'r, T: Into<Cell<'r>>> From<Option<T>> for Cell<'r> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Empty, Into::into)
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Cell::Number(number)
    }
}

impl From<u64> for Cell<'_> {
    fn from(count: u64) -> Self {
        Cell::Count(count)
    }
}

impl From<u32> for Cell<'_> {
    fn from(count: u32) -> Self {
        Cell::Count(u64::from(count))
    }
}

impl From<usize> for Cell<'_> {
    fn from(count: usize) -> Self {
        Cell::Count(count as u64)
    }
}

impl From<bool> for Cell<'_> {
    fn from(flag: bool) -> Self {
        Cell::Flag(flag)
    }
}

impl<'r> From<&'r str> for Cell<'r> {
    fn from(text: &'r str) -> Self {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Cell::Text(text.into())
    }
}

/// A spreadsheet takes text that begins so for a formula; a leading `'` makes it text again.
fn guarded(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}").into() } else { text.into() }
}

/// A column: its name, what it holds, and how a row gives its cell.
pub struct ColumnSpec<R> {
    pub name: Cow<'static, str>,
    /// Of numbers; empty for words, flags, and places.
    pub unit: Cow<'static, str>,
    pub about: Cow<'static, str>,
    pub cell: Box<dyn Fn(&R) -> Cell<'_>>,
}

/// A table of the results folder: what one row is, and its columns in order.
pub struct TableSpec<R> {
    pub file: &'static str,
    pub about: &'static str,
    pub columns: Vec<ColumnSpec<R>>,
}

impl<R> TableSpec<R> {
    pub fn new(file: &'static str, about: &'static str) -> Self {
        Self { file, about, columns: Vec::new() }
    }

    /// Appends a column.
    pub fn column(
        mut self,
        name: impl Into<Cow<'static, str>>,
        about: impl Into<Cow<'static, str>>,
        cell: impl Fn(&R) -> Cell<'_> + 'static,
    ) -> Self {
        let unit = Cow::Borrowed("");
        self.columns.push(ColumnSpec { name: name.into(), unit, about: about.into(), cell: Box::new(cell) });
        self
    }

    /// The unit of the last column.
    pub fn unit(mut self, unit: impl Into<Cow<'static, str>>) -> Self {
        if let Some(column) = self.columns.last_mut() {
            column.unit = unit.into();
        }
        self
    }

    /// Writes header and rows: RFC 4180, UTF-8, LF.
    ///
    /// # Errors
    /// When `out` cannot be written, or `rows` give an error of their own.
    pub fn write(&self, out: impl Write, rows: impl IntoIterator<Item = io::Result<R>>) -> io::Result<()> {
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
        writer.write_record(self.columns.iter().map(|column| column.name.as_bytes()))?;
        for row in rows {
            self.write_row(&mut writer, &row?)?;
        }
        writer.flush()
    }

    fn write_row(&self, writer: &mut csv::Writer<impl Write>, row: &R) -> io::Result<()> {
        for column in &self.columns {
            writer.write_field((column.cell)(row).render().as_bytes())?;
        }
        writer.write_record(None::<&[u8]>)?;
        Ok(())
    }

    /// The table's part of `columns.md`.
    pub fn describe(&self) -> String {
        let mut text =
            format!("## {}\n\n{}\n\n| column | unit | what |\n|---|---|---|\n", self.file, self.about);
        for column in &self.columns {
            text.push_str(&format!("| {} | {} | {} |\n", column.name, column.unit, column.about));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_looks_like_a_formula_is_guarded_and_numbers_are_not() {
        for (cell, text) in [
            (Cell::text("=1+1"), "'=1+1"),
            (Cell::text("@x"), "'@x"),
            (Cell::text("\tx"), "'\tx"),
            (Cell::text("-x"), "'-x"),
            (Cell::text("a=b"), "a=b"),
            (Cell::Number(-2.0), "-2"),
            (Cell::Flag(true), "true"),
            (Cell::Empty, ""),
        ] {
            assert_eq!(cell.render(), text);
        }
    }

    #[test]
    fn a_table_quotes_as_rfc_4180_says() {
        let table = TableSpec::<&str>::new("t.csv", "A row.").column("a", "A.", |r| (*r).into()).column(
            "b",
            "B.",
            |_| Cell::Empty,
        );
        let mut out = Vec::new();
        table.write(&mut out, ["x,y", "say \"hi\"", "two\nlines", ""].map(Ok)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "a,b\n\"x,y\",\n\"say \"\"hi\"\"\",\n\"two\nlines\",\n,\n");
    }
}
