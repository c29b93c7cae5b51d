//! Why a file of attempts cannot be judged.

use thiserror::Error;

/// Where a cell stands: rows count from 1 without the header, lines with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub row: u64,
    pub line: u64,
    pub column: String,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "row {} (line {}), column `{}`", self.row, self.line, self.column)
    }
}

#[derive(Debug, Error)]
pub enum ForeignError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("the file is empty: expected a header line and one row an attempt")]
    Empty,
    #[error("there is a header and no row: expected one row an attempt")]
    NoRow,
    #[error("no column {wanted}: the first line must be a header, found `{found}`{hint}")]
    NoColumn { wanted: &'static str, found: String, hint: String },
    #[error("two columns `{0}`: which one counts?")]
    TwoColumns(String),
    #[error(
        "row {row} (line {line}) has {got} cells where the header has {want}: is the file cut, or a quote missing?"
    )]
    Cells { row: u64, line: u64, got: u64, want: u64 },
    #[error(
        "the file seems to be cut: its last line has no line feed, and case `{case}` of that line has {got} rows \
         where others have {want}; end the last line with a line feed if the file is whole"
    )]
    Cut { case: String, got: u32, want: u32 },
    #[error(
        "the file seems to be cut: its last line has no line feed, and case `{case}` has no row of side `{side}`, which \
         that line is of; end the last line with a line feed if the file is whole"
    )]
    CutSide { case: String, side: String },
    #[error(
        "the file seems to be cut: its last line has no line feed and ends in an empty cell of `{column}`, which no other \
         row leaves empty; end the last line with a line feed if the file is whole"
    )]
    CutCell { column: String },
    #[error("the file is UTF-16: save it as UTF-8")]
    Utf16,
    #[error("the header line is no UTF-8: save the file as UTF-8")]
    HeaderUtf8,
    #[error("row {row} (line {line}) is no UTF-8")]
    Utf8 { row: u64, line: u64 },
    #[error("{place}: `{value}` where {expected}")]
    Cell { place: Place, value: String, expected: String },
    #[error("case `{case}`: `{column}` is `{first}` in one row and `{second}` in row {row}")]
    Differs { case: String, column: &'static str, first: String, second: String, row: u64 },
    #[error(
        "case `{case}`, side `{side}`, attempt {attempt} is there twice: rows {first} and {second} (the header not counted)"
    )]
    Twice { case: String, side: String, attempt: u32, first: u64, second: u64 },
    #[error("no row has side `{wanted}`: the sides are {found}; name them with {flag}")]
    NoSide { wanted: String, found: String, flag: &'static str },
    #[error("side `{0}` is named twice")]
    SideTwice(String),
    #[error("both `{0}` and `{1}` are sides: name one with {2}")]
    TwoDefaults(String, String, &'static str),
    #[error("--metric `{name}`: there is no such column; columns of numbers are {found}")]
    NoMetric { name: String, found: String },
    #[error("--metric `{0}` is declared twice")]
    DeclaredTwice(String),
    #[error("no column of numbers beside case, side and attempt: there is nothing to compare")]
    NoMetrics,
    #[error(
        "case `{case}`, attempt {attempt}: recording `{first}` on one side and `{second}` in row {row}; attempts of one number \
         are pairs and must replay the same recording"
    )]
    Recordings { case: String, attempt: u32, first: String, second: String, row: u64 },
}
