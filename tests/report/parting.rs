//! From a flip or a regression down to the call at which the sides part.

use crate::traces::*;
use mcp_regress::report::{self, attribution};
use mcp_regress::trace::AttemptRecord;
use mcp_regress::words::{Metric, Outcome, Split, ViewKind};

/// One case of two pages that the candidate no longer gets right, changed as `change` says.
fn flipped(change: fn(&mut AttemptRecord)) -> World {
    let mut world = World::new();
    world.reads("docs/one", Split::Dev, |side, _| (vec![8_000, 8_000], side.is_baseline_code()));
    world.attempts.iter_mut().filter(|attempt| !attempt.side.is_baseline_code()).for_each(change);
    world
}

fn lines(world: &World) -> Vec<String> {
    attribution::lines(&world.report(), &|name| format!("<{name}>"))
}

#[test]
fn a_flip_names_the_call_and_what_differs_there() {
    type Change = fn(&mut AttemptRecord);
    let changes: [(&str, Change); 9] = [
        ("no call, change never seen", |_| {}),
        ("attempt 1, call 1 (<read_document>) error: ok -> tool error, change seen", |attempt| {
            attempt.calls[0].outcome = Outcome::ToolError;
        }),
        (
            "attempt 1, call 2 (<read_document>) view: shown whole -> refused; size: 8,000 -> 60,000 characters, change seen",
            |attempt| {
                let call = &mut attempt.calls[1];
                (call.result_chars, call.view) = (60_000, ViewKind::Rejected);
                call.result_sha256 = "larger".to_owned();
            },
        ),
        (
            "attempt 1, call 1 (<read_document>) content: another text of the same size, change seen",
            |attempt| attempt.calls[0].result_sha256 = "another".to_owned(),
        ),
        (
            "attempt 1, call 1 (<read_document>) order: the same results, in another order, change seen",
            |attempt| {
                let first = attempt.calls[0].result_sha256.clone();
                attempt.calls[0].result_sha256 =
                    std::mem::replace(&mut attempt.calls[1].result_sha256, first);
            },
        ),
        (
            "attempt 1, call 2 (<read_document>) cursor: the baseline alone reads on, change never seen",
            |attempt| attempt.calls.truncate(1),
        ),
        (
            "attempt 1, call 2 (<read_document>) cursor: the sides ask for other things, change never seen",
            |attempt| attempt.calls[1].arguments_sha256 = "elsewhere".to_owned(),
        ),
        (
            "attempt 1, call 1 (<read_document>) request: another tool or other arguments, change never seen",
            |attempt| attempt.calls[0].arguments_sha256 = "elsewhere".to_owned(),
        ),
        (
            "attempt 1, call 3 (<search>) call: the candidate alone makes this call, change never seen",
            |attempt| {
                let mut more = read("docs/one", 7, 20);
                (more.tool, more.continuation, more.step_index) = ("search".to_owned(), None, 1);
                attempt.calls.push(more);
            },
        ),
    ];
    for (want, change) in changes {
        let found = lines(&flipped(change));
        assert_eq!(found.len(), 1, "{want}: {found:?}");
        let head = "<flips, lost>: <docs/one> right 2 of 2 -> 0 of 2, parts at ";
        let never = if want.ends_with("never seen") { ": it is not the change's doing" } else { "" };
        assert_eq!(found[0], format!("{head}{want}{never}"));
    }
}

#[test]
fn a_regression_names_its_cases_the_worst_first() {
    let mut world = World::new();
    for (id, pages) in [("a/little", 2), ("b/much", 5), ("c/none", 1), ("d/less", 1)] {
        world.reads(id, Split::Dev, move |side, _| {
            let pages = if side.is_baseline_code() { 1 } else { pages };
            let before = usize::from(id == "d/less" && side.is_baseline_code());
            (vec![9_000; pages + before], true)
        });
    }
    world.rule(guardrail(Metric::ContinuationReads));
    let found = lines(&world);
    assert_eq!(
        found,
        [
            "<continuation reads>: <b/much> 0 -> 4 an attempt, parts at attempt 1, call 2 (<read_document>) cursor: the candidate alone reads on, change never seen: it is not the change's doing; <a/little> 0 -> 1 an attempt, parts at attempt 1, call 2 (<read_document>) cursor: the candidate alone reads on, change never seen: it is not the change's doing"
        ]
    );
    assert!(
        report::summary_md(&world.report())
            .contains("<summary>Where the sides part</summary>\n\n- `continuation reads`: `b/much` 0 -> 4")
    );
}

#[test]
fn nothing_is_attributed_where_nothing_became_worse() {
    assert_eq!(lines(&windows()), Vec::<String>::new());
    assert!(!report::summary_md(&windows().report()).contains("Where the sides part"));
}
