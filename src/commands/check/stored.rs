//! What only results can tell, from the last stored run: stale cases, a limit that is near, margins that are tight.

use super::super::results;
use crate::case::Case;
use crate::report::{self, Warning};
use crate::trace::RunStatus;
use std::path::Path;

/// Warnings of the last complete run under `out`, as far as they hold for these cases still.
pub(super) fn warnings(out: &Path, cases: &[Case]) -> Vec<String> {
    let last = results::find_last(out, &|meta| meta.status == RunStatus::Complete && meta.shard.is_none());
    // A run that cannot be judged again says nothing of the next one.
    let Some((folder, meta)) = last.and_then(|folder| Some((folder.clone(), folder.read_meta().ok()?)))
    else {
        return Vec::new();
    };
    let is_same = |id: &String| {
        let now = cases.iter().find(|case| case.id == *id);
        now.is_some_and(|case| meta.cases.get(id).is_some_and(|then| then.sha256 == case.sha256))
    };
    let name = meta.run_id.clone();
    let unchanged: std::collections::HashSet<String> =
        meta.cases.keys().filter(|id| is_same(id)).cloned().collect();
    let Some(report) = folder.journals().ok().and_then(|journals| report::build(meta, &journals).ok()) else {
        return Vec::new();
    };
    let holds = |warning: Warning| match warning {
        Warning::Stale { names } => {
            let names: Vec<String> = names.into_iter().filter(|id| unchanged.contains(id)).collect();
            (!names.is_empty()).then_some(Warning::Stale { names })
        }
        Warning::NearLimit { ref case_id, .. } => unchanged.contains(case_id).then_some(warning),
        Warning::TightMargins { .. } => Some(warning),
        _ => None,
    };
    let held = report.warnings.into_iter().filter_map(holds);
    held.map(|warning| format!("in the last run, {name}: {warning}")).collect()
}
