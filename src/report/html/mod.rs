//! report.html: one file that opens from disk, without scripts and without a request. Traces that do not fit stand
//! on sibling pages.

mod page;
mod top;
mod metrics;
mod flips;
mod why;
mod svg;
mod tally;
mod results;
mod tools;
mod cases;
mod bodies;
mod traces;
mod reading;

use super::Report;
use super::files::replace;
use crate::trace::Bodies;
use crate::verdict::Comparison;
use fs_err as fs;
use page::Page;
use std::io;
use std::path::Path;
use tally::Tally;
use traces::Traces;

/// The page's name.
pub const PAGE: &str = "report.html";

/// Most rows of a table on the page; the CSV files hold all.
const ROWS: usize = 1_000;

/// Writes report.html and as many pages of traces as are needed; pages of an earlier report that are no longer
/// needed are removed.
///
/// # Errors
/// When a page cannot be written, or the journal cannot be read.
pub fn write(report: &Report, comparison: &Comparison<'_>, folder: &Path) -> io::Result<()> {
    let mut tally = Tally::default();
    let traces = match report.journal.is_empty() {
        true => Traces::default(),
        false => Traces::write(report, folder, &Bodies::of(folder), &mut tally)?,
    };
    let mut page = Page::new("mcp-regress");
    page.add(&top::verdict(report));
    page.add(&top::compared(report));
    page.add(&top::notes(report));
    page.add(&metrics::section(report));
    page.add(&flips::section(report, &traces));
    if !report.is_foreign {
        page.add(&why::section(report, &traces));
        page.add(&results::oversized(report, &tally));
        page.add(&results::sizes(report, &tally));
        page.add(&results::chains(&tally));
        page.add(&metrics::exposure(report));
        page.add(&tools::section(report));
    }
    page.add(&cases::section(report, comparison, &traces));
    page.add(&traces.inline);
    page.add(&metrics::could_have_seen(report));
    page.add(&reading::section(report, &tally));
    let text = page.finish();
    replace(folder, PAGE, |out| out.write_all(text.as_bytes()))?;
    remove_pages_after(folder, traces.pages)
}

/// The name of a page of traces, from 1.
fn sibling(number: usize) -> String {
    format!("traces-{number}.html")
}

fn remove_pages_after(folder: &Path, last: usize) -> io::Result<()> {
    for number in last + 1.. {
        match fs::remove_file(folder.join(sibling(number))) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
