//! What ended a read: used, end, last; and what is evidence apart from that.

use crate::support::{Talk, filler, texts};
use serde_json::{Value, json};

const NAMED: &str = "see tideTableLoader there";

fn contains(talk: &Talk) -> (String, Vec<String>) {
    let made = talk.import(&[]);
    let need = &made.reads()[0]["need"];
    let texts = texts(&need["contains"]).into_iter().map(str::to_owned).collect();
    (made.kinds()[0].to_owned(), texts)
}

fn kind(talk: &Talk) -> String {
    contains(talk).0
}

fn walk() -> Talk {
    Talk::new("Go").walk(["", "", NAMED])
}

#[test]
fn a_lone_passage_explains_the_stop_within_three_agent_events() {
    for (between, wanted) in [(0, "used"), (2, "used"), (3, "last"), (7, "last")] {
        assert_eq!(kind(&walk().chat(between).say("Use tideTableLoader.")), wanted, "{between}");
    }
    assert_eq!(kind(&walk().think("tideTableLoader it is")), "used");
    assert_eq!(kind(&walk().did("x", "Grep", json!({"pattern": "tideTableLoader"}), "none")), "used");
}

#[test]
fn several_passages_explain_it_within_ten() {
    let two = || Talk::new("Go").walk(["", "", "see tideTableLoader and moorLine_7 there"]);
    assert_eq!(kind(&two().chat(6).say("Use tideTableLoader.").say("And moorLine_7.")), "used");
    assert_eq!(kind(&two().chat(9).say("Use tideTableLoader.").say("And moorLine_7.")), "last");
    // One run of words counts one.
    let runs = || Talk::new("Go").walk(["", "", "painters scraped barnacles before launching"]);
    assert_eq!(kind(&runs().chat(6).say("painters scraped barnacles before launching")), "last");
}

#[test]
fn the_text_that_an_edit_replaces_explains_it_within_twenty() {
    for (between, wanted) in [(18, "used"), (19, "used"), (20, "last")] {
        let edit = json!({"file_path": "/w/b", "old_string": "call tideTableLoader()", "new_string": "x"});
        assert_eq!(kind(&walk().chat(between).did("x", "Edit", edit, "ok")), wanted, "{between}");
        let write = json!({"file_path": "/w/b", "content": "call tideTableLoader()"});
        assert_eq!(kind(&walk().chat(between).did("x", "Write", write, "ok")), "last", "{between}");
    }
}

#[test]
fn what_was_known_before_proves_nothing() {
    let used = "Use tideTableLoader.";
    for talk in [
        Talk::new("Where is tideTableLoader?").walk(["", "", NAMED]),
        Talk::new("Go").say("I look for tideTableLoader.").walk(["", "", NAMED]),
        Talk::new("Go").did("x", "Grep", json!({"pattern": "tideTableLoader"}), "").walk(["", "", NAMED]),
        Talk::new("Go").did("x", "Grep", json!({"pattern": "t"}), NAMED).walk(["", "", NAMED]),
        Talk::new("Go")
            .line(json!({"type": "user", "isCompactSummary": true, "message": {"content": NAMED}}))
            .walk(["", "", NAMED]),
        // Shown by another view in between.
        walk().did("x", "Grep", json!({"pattern": "t"}), NAMED),
        // Shown by an earlier page of the chain.
        Talk::new("Go").walk([NAMED, "", NAMED]),
    ] {
        assert_eq!(kind(&talk.say(used)), "last");
    }
    // After the next prompt nothing counts.
    let made = walk().prompt("And?").say(used).import(&[]);
    assert_eq!(made.cases[0]["recordings"][0]["steps"][0]["need_kind"], "last");
}

#[test]
fn a_phrase_of_many_views_is_common() {
    let others = |count: usize| {
        let start = walk().say("Use tideTableLoader.");
        (0..count)
            .fold(start, |talk, index| talk.did(&format!("x{index}"), "Grep", json!({"pattern": "t"}), NAMED))
    };
    assert_eq!(kind(&others(3)), "used");
    assert_eq!(kind(&others(4)), "last");
}

#[test]
fn positions_and_sizes_show_no_use_and_reads_only_what_they_read() {
    let seen = || Talk::new("Go").walk(["", "", "the id 481516 and doc-77-beta"]);
    let read =
        |input: Value| seen().did("x", "mcp__docs__read_document", input, "{\"text\":\"y\",\"next\":null}");
    assert_eq!(kind(&read(json!({"documentId": "doc-77-beta"}))), "used");
    assert_eq!(kind(&read(json!({"documentId": "other", "startOffset": 481_516}))), "last");
    assert_eq!(kind(&read(json!({"documentId": "other", "limit": 481_516}))), "last");
}

#[test]
fn a_need_names_first_middle_and_deepest() {
    let names: Vec<String> = (0..9).map(|index| format!("alphaBeta{index}")).collect();
    let talk = Talk::new("Go").walk(["", "", &names.join(" and ")]).say(&names.join(", "));
    assert_eq!(
        contains(&talk),
        ("used".to_owned(), vec!["alphaBeta0".into(), "alphaBeta4".into(), "alphaBeta8".into()])
    );
}

#[test]
fn numbers_are_one_whatever_their_separators() {
    for (page, said) in
        [("201.710", "201,710"), ("48,317", "48317"), ("1 204 551", "1'204'551"), ("3.14159", "3.141590")]
    {
        let talk =
            Talk::new("Go").walk(["", "", &format!("paid {page} crowns")]).say(&format!("It cost {said}."));
        assert_eq!(kind(&talk), "used", "{page}");
    }
    for page in ["2024", "8000", "1111", "999"] {
        let talk =
            Talk::new("Go").walk(["", "", &format!("paid {page} crowns")]).say(&format!("It cost {page}."));
        assert_eq!(kind(&talk), "last", "{page}");
    }
}

#[test]
fn a_copy_counts_though_its_words_were_known() {
    let copied = "one of the two boats was sold in may and the other one is to be sold as it is now";
    let known = || Talk::new("Go").did("x", "Grep", json!({"pattern": "boats"}), copied);
    let copy = json!({"title": "Boats", "body": copied});
    let create = |talk: Talk| talk.did("c", "mcp__notes__create_note", copy.clone(), "ok");
    let docs = |talk: Talk| talk.import(&["--server", "docs"]);
    let made = docs(create(known().walk(["", "", copied])));
    assert_eq!(made.kinds(), ["used"]);
    let contains = texts(&made.reads()[0]["need"]["contains"]);
    assert!(
        contains.iter().all(|text| text.split(' ').count() <= 12 && copied.contains(text)),
        "{contains:?}"
    );
    // Not when the user gave it, not late, not by a read, not three runs only.
    assert_eq!(docs(create(Talk::new(copied).walk(["", "", copied]))).kinds(), ["last"]);
    assert_eq!(docs(create(known().walk(["", "", copied]).chat(10))).kinds(), ["last"]);
    let read = known().walk(["", "", copied]).did(
        "c",
        "mcp__docs__read_document",
        json!({"documentId": copied}),
        "{}",
    );
    assert_eq!(docs(read).kinds()[0], "last");
    let short = json!({"body": copied.split(' ').take(10).collect::<Vec<_>>().join(" ")});
    let made = docs(known().walk(["", "", copied]).did("c", "mcp__notes__create_note", short, "ok"));
    assert_eq!(made.kinds(), ["last"]);
}

#[test]
fn the_end_is_told_by_what_the_last_view_offers() {
    let one = |result: &str| Talk::new("Go").did("t", "mcp__s__list_rows", json!({"limit": 3}), result);
    for (result, wanted) in [
        ("{\"rows\":[\"first row here\",\"second row here\"],\"hasMore\":false}", "end"),
        ("{\"rows\":[\"first row here\",\"second row here\"],\"nextCursor\":null}", "end"),
        ("{\"rows\":[\"first row here\",\"second row here\"]}", "end"),
        ("{\"rows\":[\"first row here\",\"second row here\"],\"nextCursor\":\"abc1\"}", "last"),
        ("{\"rows\":[\"first row here\",\"second row here\"],\"hasMore\":true}", "last"),
    ] {
        assert_eq!(kind(&one(result)), wanted, "{result}");
    }
    // As many as were asked for: there may be more, of a tool that takes a position.
    let rows = |count: usize| {
        json!({"rows": (0..count).map(|row| format!("row number {row}")).collect::<Vec<_>>()}).to_string()
    };
    let paged = |count: usize| {
        Talk::new("Go").did("t", "mcp__s__list_rows", json!({"limit": 3, "offset": 0}), rows(count))
    };
    assert_eq!(kind(&paged(3)), "last");
    assert_eq!(kind(&paged(2)), "end");
}

#[test]
fn early_passages_that_were_used_are_evidence() {
    let made = Talk::new("Go")
        .walk([NAMED, "", "and moorLine_7"])
        .say("Use tideTableLoader, moorLine_7.")
        .import(&[]);
    assert_eq!(made.kinds(), ["used"]);
    assert_eq!(made.reads()[0]["need"]["contains"], json!(["moorLine_7"]));
    assert_eq!(made.reads()[0]["evidence"], json!(["tideTableLoader"]));
    // At most three a page and eight a chain.
    let names = |page: usize| (0..6).map(|index| format!("gamma{page}Delta{index}")).collect::<Vec<_>>();
    let said: String = (0..3).flat_map(names).collect::<Vec<_>>().join(" ");
    let talk =
        Talk::new("Go").walk([&names(0).join(" "), &names(1).join(" "), &names(2).join(" ")]).say(&said);
    let made = talk.import(&[]);
    let evidence = texts(&made.reads()[0]["evidence"]);
    assert_eq!(
        evidence,
        ["gamma0Delta0", "gamma0Delta3", "gamma0Delta5", "gamma1Delta0", "gamma1Delta3", "gamma1Delta5"]
    );
}

#[test]
fn a_need_that_the_recorded_views_meet_early_falls_back() {
    // The run of words comes back, and an earlier page holds it in another case and with other separators.
    let talk = Talk::new("Go").walk(["MOORLINE_7", "", "moorLine_7"]).say("It is moorLine_7.");
    let made = talk.import(&[]);
    assert_eq!(made.kinds(), ["last"]);
    assert_eq!(made.summary["need_fallbacks"], 1);
    let step = &made.summary["cases"][0]["recordings"][0]["steps"][0];
    assert_eq!(step["need_fallbacks"], json!(["used"]));
}

#[test]
fn half_of_what_the_last_view_added_is_needed_where_nothing_tells_more() {
    let made = walk().import(&[]);
    let coverage = &made.reads()[0]["need"]["coverage"];
    assert_eq!(coverage["at_least"], 0.5);
    assert_eq!(coverage["fingerprints"]["v"], 1);
    assert_eq!(walk().import(&["--need", "all"]).reads()[0]["need"]["coverage"]["at_least"], 0.95);
    assert_eq!(walk().import(&["--need", "all"]).kinds(), ["all"]);
    assert_eq!(walk().import(&["--need", "last"]).kinds(), ["last"]);
    // Pages that all show the same: only their number is left.
    let same = filler(1);
    let made = Talk::new("Go")
        .read("a", None, &same, Some(8000))
        .read("b", Some(8000), &same, Some(16000))
        .import(&[]);
    assert_eq!(made.reads()[0]["need"], json!({"pages": 2}));
}
