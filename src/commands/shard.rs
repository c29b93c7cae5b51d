//! `--shard`: which part of the cases this process replays, and what it says at its end.

use super::results::RunFolder;
use super::{Failure, Printer};
use crate::cli::{Format, ShardChoice};
use crate::exit::ExitCode;
use crate::plan::Shard;
use crate::report::{self, counted};
use crate::trace::RunMeta;
use serde_json::json;

/// The part that a flag names; nothing for the whole.
pub(super) fn resolve(choice: Option<ShardChoice>) -> Result<Option<Shard>, Failure> {
    let shard = match choice {
        None => return Ok(None),
        Some(ShardChoice::Given(shard)) => shard,
        Some(ShardChoice::Auto(count)) => {
            found(count, &|name| std::env::var(name).ok().filter(|value| !value.is_empty())).map_err(
                |message| {
                    Failure::usage(format!("--shard auto: {message}")).hint("say which part with --shard I/N")
                },
            )?
        }
    };
    Ok(Some(shard).filter(|shard| shard.count > 1))
}

/// What one engine says.
struct Place {
    engine: &'static str,
    index: u32,
    /// GNU parallel and Kubernetes do not say how many there are.
    count: Option<u32>,
}

/// The part that the environment says, of `count` parts where the flag says how many.
fn found(count: Option<u32>, variable: &dyn Fn(&str) -> Option<String>) -> Result<Shard, String> {
    let engines = [gitlab, slurm, kubernetes, parallel];
    let mut places = Vec::new();
    for engine in engines {
        places.extend(engine(variable)?);
    }
    if places.len() > 1 {
        // A job that is not cut says nothing beside an engine that cuts.
        places.retain(|place| place.count != Some(1));
    }
    let place = match places.as_slice() {
        [] => {
            return Err(
                "no variable says which part this is; known are CI_NODE_INDEX, SLURM_ARRAY_TASK_ID, \
                        JOB_COMPLETION_INDEX and PARALLEL_SEQ"
                    .to_owned(),
            );
        }
        [place] => place,
        [one, two, ..] => {
            return Err(format!("both {} and {} say which part this is", one.engine, two.engine));
        }
    };
    let count = match (place.count, count) {
        (Some(here), Some(asked)) if here != asked => {
            return Err(format!("{} runs {here} parts, and the flag says {asked}", place.engine));
        }
        (Some(count), _) | (None, Some(count)) => count,
        (None, None) => {
            return Err(format!(
                "{} does not say how many parts there are; say --shard auto/N",
                place.engine
            ));
        }
    };
    Shard::new(place.index, count).map_err(|error| format!("{}: {error}", place.engine))
}

/// `parallel: N`; a job without it has a total of 1 and no index.
fn gitlab(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Place>, String> {
    let engine = "GitLab (CI_NODE_INDEX)";
    let (index, count) = (number(variable, "CI_NODE_INDEX")?, number(variable, "CI_NODE_TOTAL")?);
    Ok(match (index, count) {
        (Some(index), Some(count)) => Some(Place { engine, index, count: Some(count) }),
        (None, Some(1)) => Some(Place { engine, index: 1, count: Some(1) }),
        (Some(_), None) => return Err("CI_NODE_INDEX is set and CI_NODE_TOTAL is not".to_owned()),
        _ => None,
    })
}

/// `--array=A-B` or `A-B:STEP`. A list with holes has no count that could be relied on.
fn slurm(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Place>, String> {
    let Some(id) = number(variable, "SLURM_ARRAY_TASK_ID")? else { return Ok(None) };
    let needed = |name: &str| number(variable, name)?.ok_or_else(|| format!("{name} is not set"));
    let (first, last) = (needed("SLURM_ARRAY_TASK_MIN")?, needed("SLURM_ARRAY_TASK_MAX")?);
    let count = needed("SLURM_ARRAY_TASK_COUNT")?;
    let step = number(variable, "SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1);
    let is_whole =
        first <= id && id <= last && (last - first) / step + 1 == count && (id - first) % step == 0;
    if !is_whole || (count == 1 && first > 1) {
        return Err(format!(
            "the Slurm array holds {count} of the tasks {first} to {last}, so task {id} does not say which part of how many it is"
        ));
    }
    let index = (id - first) / step + 1;
    Ok(Some(Place { engine: "Slurm (SLURM_ARRAY_TASK_ID)", index, count: Some(count) }))
}

/// An Indexed Job: from 0.
fn kubernetes(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Place>, String> {
    let index = number(variable, "JOB_COMPLETION_INDEX")?;
    let engine = "Kubernetes (JOB_COMPLETION_INDEX)";
    Ok(index.map(|index| Place { engine, index: index.saturating_add(1), count: None }))
}

fn parallel(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Place>, String> {
    let index = number(variable, "PARALLEL_SEQ")?;
    Ok(index.map(|index| Place { engine: "GNU parallel (PARALLEL_SEQ)", index, count: None }))
}

fn number(variable: &dyn Fn(&str) -> Option<String>, name: &str) -> Result<Option<u32>, String> {
    let Some(text) = variable(name) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| format!("{name} is `{text}`; expected a number"))
}

/// What a shard says when its part is replayed: nothing is judged yet.
pub(super) fn end(
    folder: &RunFolder,
    meta: RunMeta,
    format: Format,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let Some(shard) = meta.shard else { return Ok(ExitCode::Success) };
    let all = meta.cases.len();
    let measured = report::measure(meta.of_its_cases(), &folder.journals()?)
        .map_err(|error| Failure::new(ExitCode::Internal, error))?;
    let (cases, attempts, missing) =
        (measured.meta.cases.len(), measured.journal.len(), measured.missing.len());
    let code = if missing == 0 { ExitCode::Success } else { ExitCode::Incomplete };
    let path = folder.0.display().to_string();
    printer.data(&match format {
        Format::Json => {
            let shard = json!({
                "shard": shard.to_string(), "run": path, "cases": cases, "cases_in_all": all,
                "attempts": attempts, "missing_attempts": missing, "exit_code": code as u8,
            });
            format!("{shard:#}\n")
        }
        Format::Human => format!(
            "shard {shard}: {cases} of {}, {}{}; nothing is judged before the merge\nnext: mcp-regress merge {path} OTHER_SHARDS...\n",
            counted(all as u64, "case", "cases"),
            counted(attempts as u64, "attempt", "attempts"),
            if missing > 0 { format!(", {missing} missing") } else { String::new() },
        ),
    });
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(count: Option<u32>, set: &[(&str, &str)]) -> Result<String, String> {
        let variable =
            |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        found(count, &variable).map(|shard| shard.to_string())
    }

    fn array(
        id: &'static str,
        first: &'static str,
        last: &'static str,
        count: &'static str,
        step: &'static str,
    ) -> [(&'static str, &'static str); 5] {
        [
            ("SLURM_ARRAY_TASK_ID", id),
            ("SLURM_ARRAY_TASK_MIN", first),
            ("SLURM_ARRAY_TASK_MAX", last),
            ("SLURM_ARRAY_TASK_COUNT", count),
            ("SLURM_ARRAY_TASK_STEP", step),
        ]
    }

    #[test]
    fn each_engine_says_which_part_this_is() {
        let gitlab = [("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "4")];
        for (count, set, want) in [
            (None, &gitlab[..], "2/4"),
            (Some(4), &gitlab[..], "2/4"),
            (None, &[("CI_NODE_TOTAL", "1")], "1/1"),
            (Some(4), &[("CI_NODE_TOTAL", "1"), ("PARALLEL_SEQ", "3")], "3/4"),
            (None, &array("0", "0", "3", "4", "1"), "1/4"),
            (None, &array("3", "0", "3", "4", "1"), "4/4"),
            (None, &array("4", "1", "4", "4", "1"), "4/4"),
            (None, &array("7", "1", "7", "4", "2"), "4/4"),
            (Some(4), &[("JOB_COMPLETION_INDEX", "0")], "1/4"),
            (Some(4), &[("JOB_COMPLETION_INDEX", "3")], "4/4"),
            (Some(4), &[("PARALLEL_SEQ", "4")], "4/4"),
        ] {
            assert_eq!(shard(count, set).as_deref(), Ok(want), "{set:?}");
        }
    }

    #[test]
    fn what_does_not_say_it_clearly_is_refused() {
        for (count, set, why) in [
            (Some(4), &[][..], "no variable"),
            (None, &[("JOB_COMPLETION_INDEX", "0")], "auto/N"),
            (None, &[("PARALLEL_SEQ", "1")], "auto/N"),
            (Some(4), &[("PARALLEL_SEQ", "5")], "no shard `5`"),
            (Some(4), &[("JOB_COMPLETION_INDEX", "4")], "no shard `5`"),
            (Some(3), &[("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "4")], "flag says 3"),
            (None, &[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "4")], "no shard `0`"),
            (None, &[("CI_NODE_INDEX", "two"), ("CI_NODE_TOTAL", "4")], "expected a number"),
            (None, &[("CI_NODE_INDEX", "2")], "CI_NODE_TOTAL"),
            (Some(4), &[("PARALLEL_SEQ", "1"), ("JOB_COMPLETION_INDEX", "0")], "both"),
            // One task sent again, and a list with holes.
            (None, &array("3", "3", "3", "1", "1"), "which part"),
            (None, &array("7", "1", "7", "3", "1"), "which part"),
            (None, &[("SLURM_ARRAY_TASK_ID", "1")], "SLURM_ARRAY_TASK_MIN"),
        ] {
            let error = shard(count, set).unwrap_err();
            assert!(error.contains(why), "{set:?}: {error}");
        }
    }
}
