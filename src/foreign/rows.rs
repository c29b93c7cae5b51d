//! The file, row by row, into columns in the order of the file.

use super::declare::Range;
use super::error::Place;
use super::header::{Header, Key};
use super::{ForeignError, cells};
use crate::metric::{Column, Exposure};
use crate::words::{Split, Status};
use std::collections::HashMap;
use std::io::Read;

/// One attempt; names are places in lists of [`Raw`].
#[derive(Debug, Clone, Copy)]
pub(super) struct RawRow {
    pub case: u32,
    pub side: u32,
    pub attempt: u32,
    pub status: Status,
    /// Absent where the cell or the column is empty.
    pub recording: Option<u32>,
    pub needs: Option<(u32, u32)>,
    pub exposed: Option<Exposure>,
}

/// Names in the order in which they were first seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    pub list: Vec<String>,
    places: HashMap<String, u32>,
    last: u32,
}

impl Names {
    fn place(&mut self, name: &str) -> u32 {
        // Rows of one case mostly stand together.
        if self.list.get(self.last as usize).is_some_and(|last| last == name) {
            return self.last;
        }
        self.last = match self.places.get(name) {
            Some(place) => *place,
            None => {
                let place = self.list.len() as u32;
                self.list.push(name.to_owned());
                self.places.insert(name.to_owned(), place);
                place
            }
        };
        self.last
    }
}

/// A column that may be a metric.
#[derive(Debug, Clone)]
pub(super) struct RawColumn {
    pub name: String,
    pub values: Column,
    pub numbers: u64,
    pub range: Range,
    /// The first cell that is no usable number.
    pub bad: Option<(Place, String)>,
    /// Whether some cell is text, not merely an unusable number.
    pub has_text: bool,
}

/// The whole file.
#[derive(Debug, Clone, Default)]
pub(super) struct Raw {
    pub cases: Names,
    /// Split and cluster of each case.
    pub case_facts: Vec<(Split, Option<String>)>,
    pub sides: Names,
    pub recordings: Names,
    pub rows: Vec<RawRow>,
    pub columns: Vec<RawColumn>,
    pub tokens_source: Option<String>,
    /// Columns without a name.
    pub unnamed: usize,
    /// The last cell of a line is of the last of `columns`.
    pub ends_in_column: bool,
    /// The last line ends with a line feed.
    pub ends_whole: bool,
}

/// Remembers the last byte that went by.
struct LastByte<R> {
    inner: R,
    last: Option<u8>,
}

impl<R: Read> Read for LastByte<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.inner.read(buffer)?;
        if let Some(last) = buffer[..length].last() {
            self.last = Some(*last);
        }
        Ok(length)
    }
}

pub(super) fn read(file: impl Read) -> Result<Raw, ForeignError> {
    let mut bytes = LastByte { inner: file, last: None };
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&mut bytes);
    let mut record = csv::ByteRecord::new();
    if !next(&mut reader, &mut record)? {
        return Err(ForeignError::Empty);
    }
    let names: Result<Vec<String>, _> =
        record.iter().map(|cell| std::str::from_utf8(cell).map(|name| name.trim().to_owned())).collect();
    let first = record.as_slice();
    if first.starts_with(b"\xff\xfe") || first.starts_with(b"\xfe\xff") || first.contains(&0) {
        return Err(ForeignError::Utf16);
    }
    let header = Header::of(names.map_err(|_| ForeignError::HeaderUtf8)?)?;
    let columns = header.metrics.iter().map(|place| RawColumn::new(&header.names[*place])).collect();
    let ends_in_column = header.metrics.last() == Some(&(header.names.len() - 1));
    let mut raw = Raw { columns, unnamed: header.unnamed, ends_in_column, ..Raw::default() };
    while next(&mut reader, &mut record)? {
        let line = record.position().map_or(0, csv::Position::line);
        Row { header: &header, record: &record, row: raw.rows.len() as u64 + 1, line }.take(&mut raw)?;
    }
    drop(reader);
    raw.ends_whole = bytes.last == Some(b'\n') || bytes.last == Some(b'\r');
    if raw.rows.is_empty() {
        return Err(ForeignError::NoRow);
    }
    Ok(raw)
}

fn next(reader: &mut csv::Reader<impl Read>, record: &mut csv::ByteRecord) -> Result<bool, ForeignError> {
    reader.read_byte_record(record).map_err(|error| ForeignError::Io(std::io::Error::other(error)))
}

impl RawColumn {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            values: Column::default(),
            numbers: 0,
            range: Range::NONE,
            bad: None,
            has_text: false,
        }
    }
}

/// One row on its way.
struct Row<'r> {
    header: &'r Header,
    record: &'r csv::ByteRecord,
    row: u64,
    line: u64,
}

impl Row<'_> {
    fn take(&self, raw: &mut Raw) -> Result<(), ForeignError> {
        let (got, want) = (self.record.len() as u64, self.header.names.len() as u64);
        if got != want {
            return Err(ForeignError::Cells { row: self.row, line: self.line, got, want });
        }
        let case = raw.cases.place(cells::unguarded(self.must(Key::Case, "the id of a case was expected")?));
        let side =
            raw.sides.place(cells::unguarded(self.must(Key::Side, "the name of a side was expected")?));
        let status = self.parsed(Key::Status, cells::STATUS_WORDS, cells::status)?.unwrap_or(Status::Ok);
        let attempt = "a whole number of at least 0 was expected";
        let attempt = self
            .parsed(Key::Attempt, attempt, cells::whole)?
            .ok_or_else(|| self.wrong(Key::Attempt, "", attempt))?;
        self.case_facts(raw, case)?;
        let recording = self.text(Key::Recording)?.filter(|id| !id.is_empty());
        let recording = recording.map(|id| raw.recordings.place(cells::unguarded(id)));
        let needs = self.count(Key::NeedsMet)?.zip(self.count(Key::NeedsTotal)?);
        let exposed =
            self.parsed(Key::Exposed, "`true`, `false` or `unknown` was expected", cells::exposed)?;
        if raw.tokens_source.is_none() {
            let source = self.text(Key::TokensSource)?.filter(|source| !source.is_empty());
            raw.tokens_source = source.map(str::to_owned);
        }
        raw.rows.push(RawRow { case, side, attempt, status, recording, needs, exposed: exposed.flatten() });
        for (column, place) in raw.columns.iter_mut().zip(&self.header.metrics) {
            self.value(column, *place)?;
        }
        Ok(())
    }

    /// Every row of a case says the same of its split and cluster.
    fn case_facts(&self, raw: &mut Raw, case: u32) -> Result<(), ForeignError> {
        let split = self.parsed(Key::Split, "`dev` or `test` was expected", cells::split)?;
        let split = split.unwrap_or(cells::DEFAULT_SPLIT);
        let cluster = self.text(Key::Cluster)?.map(cells::unguarded).filter(|cluster| !cluster.is_empty());
        let Some((first_split, first_cluster)) = raw.case_facts.get(case as usize) else {
            raw.case_facts.push((split, cluster.map(str::to_owned)));
            return Ok(());
        };
        let differs = |column, first: &str, second: &str| {
            let case = raw.cases.list[case as usize].clone();
            let (first, second) = (first.to_owned(), second.to_owned());
            Err(ForeignError::Differs { case, column, first, second, row: self.row })
        };
        if *first_split != split {
            return differs("split", first_split.as_str(), split.as_str());
        }
        if first_cluster.as_deref() != cluster {
            return differs("cluster", first_cluster.as_deref().unwrap_or(""), cluster.unwrap_or(""));
        }
        Ok(())
    }

    fn value(&self, column: &mut RawColumn, place: usize) -> Result<(), ForeignError> {
        let text = self.cell(place)?;
        let value = match cells::number(text) {
            cells::Number::Missing => None,
            cells::Number::Value(value) => {
                column.numbers += 1;
                column.range.add(value);
                Some(value)
            }
            bad => {
                column.has_text |= matches!(bad, cells::Number::Text);
                if column.bad.is_none() {
                    column.bad = Some((self.place(place), shortened(text)));
                }
                None
            }
        };
        column.values.push(value);
        Ok(())
    }

    fn cell(&self, place: usize) -> Result<&str, ForeignError> {
        std::str::from_utf8(&self.record[place])
            .map_err(|_| ForeignError::Utf8 { row: self.row, line: self.line })
    }

    /// The cell of a key, as it stands; `None` without the column.
    fn text(&self, key: Key) -> Result<Option<&str>, ForeignError> {
        self.header.place(key).map(|place| self.cell(place)).transpose()
    }

    fn must(&self, key: Key, expected: &str) -> Result<&str, ForeignError> {
        let text = self.text(key)?.unwrap_or_default();
        if text.trim().is_empty() { Err(self.wrong(key, text, expected)) } else { Ok(text) }
    }

    fn parsed<T>(
        &self,
        key: Key,
        expected: &str,
        parse: fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ForeignError> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        parse(text).map(Some).ok_or_else(|| self.wrong(key, text, expected))
    }

    /// A count that may be missing.
    fn count(&self, key: Key) -> Result<Option<u32>, ForeignError> {
        match self.text(key)? {
            None => Ok(None),
            Some(text) if text.trim().is_empty() => Ok(None),
            Some(text) => match cells::whole(text) {
                Some(count) => Ok(Some(count)),
                None => Err(self.wrong(key, text, "a whole number was expected")),
            },
        }
    }

    fn wrong(&self, key: Key, value: &str, expected: &str) -> ForeignError {
        let place = self.place(self.header.place(key).unwrap_or_default());
        ForeignError::Cell { place, value: shortened(value), expected: expected.to_owned() }
    }

    fn place(&self, column: usize) -> Place {
        Place { row: self.row, line: self.line, column: self.header.names[column].clone() }
    }
}

/// A cell for a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
