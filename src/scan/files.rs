//! All files of a census, one after the other.

use super::census::{Census, Known, Met};
use super::client::Clients;
use super::thread::{Reading, Shared, Thread};
use crate::client::ProfileError;
use crate::import::{Event, EventKind, Format, ImportProblems, Scope, ThreadId, Wanted, inputs, read_as};
use crate::suite::Suite;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What to scan, and how results are measured.
#[derive(Debug)]
pub struct ScanOptions<'s> {
    pub paths: &'s [PathBuf],
    /// Only calls of these servers; empty for all.
    pub servers: &'s [String],
    /// Declarations of tools and limits of the client come from here.
    pub suite: &'s Suite,
    /// The client profile for all files; default that of the client that wrote each.
    pub client: Option<&'s str>,
}

/// Counts. `each_file` is told after each file how many of how many are done.
///
/// # Errors
/// A client profile that is not known.
pub fn scan(
    options: &ScanOptions<'_>,
    each_file: &mut dyn FnMut(usize, usize),
) -> Result<Census, ProfileError> {
    let clients = Clients::resolve(&options.suite.client, options.client)?;
    let scope = Scope { servers: options.servers.to_vec(), own_tools: false };
    let mut problems = ImportProblems::default();
    let inputs = inputs(options.paths, &mut problems);
    let mut census = Census::default();
    let mut shared = Shared {
        scope: &scope,
        rows: BTreeMap::new(),
        known: Known::new(options.suite),
        met: Met::default(),
        repeated_calls: 0,
        has_wire: false,
    };
    for (index, input) in inputs.iter().enumerate() {
        let mut threads: BTreeMap<ThreadId, Thread> = BTreeMap::new();
        let mut reading: Option<Reading<'_>> = None;
        let mut take = |format: Format, event: Event| {
            let reading = *reading.get_or_insert_with(|| Reading { format, profile: clients.of(format) });
            let thread = threads.entry(event.thread).or_default();
            match event.kind {
                EventKind::Prompt(_) => thread.prompt(&mut shared, reading),
                EventKind::Call(call) => thread.call(call, &mut shared, reading),
                EventKind::Output(output) => thread.output(output, &mut shared, reading),
                _ => {}
            }
        };
        let format = read_as(input, Wanted::McpCalls, &mut problems, &mut take);
        if let Some(format) = format {
            *census.files.entry(format).or_default() += 1;
            let reading = Reading { format, profile: clients.of(format) };
            for thread in threads.values_mut() {
                thread.end(&mut shared, reading);
                census.sessions += u64::from(thread.calls > 0);
            }
            if threads.values().any(|thread| thread.calls > 0) {
                census.profiles.insert(reading.profile.id.clone());
            }
        }
        each_file(index + 1, inputs.len());
    }
    shared.known.name_kinds(&mut shared.rows);
    let Shared { rows, repeated_calls, has_wire, .. } = shared;
    Ok(Census { rows, repeated_calls, has_wire, problems, ..census })
}
