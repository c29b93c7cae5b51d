//! `compare FILE.csv`: what cannot be judged is refused with one clear error.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod cli;

use cli::*;

const GOOD: &str = "case,side,attempt,x\na,base,1,1\na,cand,1,2\nb,base,1,1\nb,cand,1,2\n";

fn compare(text: &[u8], more: &[&str]) -> Said {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("attempts.csv");
    std::fs::write(&file, text).unwrap();
    said(mcp_regress().arg("compare").arg(&file).args(more))
}

/// The good file with one piece exchanged.
fn with(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    GOOD.replacen(from, to, 1)
}

#[test]
fn bad_input_is_refused_with_row_and_column() {
    let text = with("b,cand,1,2", "b,cand,1,high");
    for (text, more, parts) in [
        (text.clone(), vec![], vec!["row 4 (line 5), column `x`", "`high`"]),
        (with("a,cand,1,2", "a,cand,1,NaN"), vec![], vec!["row 2 (line 3), column `x`", "`NaN`"]),
        (with("a,cand,1,2", "a,cand,1,inf"), vec![], vec!["row 2", "`inf`", "finite"]),
        (with("a,cand,1,2", "a,cand,1,1e999"), vec![], vec!["row 2", "`1e999`"]),
        (with("b,base,1,1", "a,base,1,1"), vec![], vec!["case `a`, side `base`, attempt 1", "rows 1 and 3"]),
        (with("b,base,1", "b,base,one"), vec![], vec!["row 3", "column `attempt`", "`one`"]),
        (with("b,base,1", ",base,1"), vec![], vec!["row 3", "column `case`"]),
        (GOOD.replace("cand", "new"), vec![], vec!["`candidate` or `cand`", "`base`, `new`", "--candidate"]),
        (GOOD.to_owned(), vec!["--baseline", "old"], vec!["`old`", "`base`, `cand`"]),
        (GOOD.to_owned(), vec!["--same-code", "base2"], vec!["`base2`"]),
        (GOOD.to_owned(), vec!["--metric", "y:calls:lower"], vec!["`y`", "columns of numbers are `x`"]),
        (GOOD.to_owned(), vec!["--metric", "x:calls:down"], vec!["`down` is neither"]),
        (
            GOOD.replace(",x", ",x,x").replace(",1\n", ",1,1\n").replace(",2\n", ",2,2\n"),
            vec![],
            vec!["two columns `x`"],
        ),
        (
            GOOD[..GOOD.len() - 6].to_owned(),
            vec![],
            vec!["row 4 (line 5) has 2 cells where the header has 4"],
        ),
        (GOOD[..GOOD.len() - 10].to_owned() + "b", vec![], vec!["row 4", "1 cells"]),
        (
            GOOD.lines().skip(1).collect::<Vec<_>>().join("\n") + "\n",
            vec![],
            vec!["no column `case`", "header"],
        ),
        (String::new(), vec![], vec!["empty"]),
        ("case,side,attempt,x\n".to_owned(), vec![], vec!["no row"]),
        (GOOD.replace("case,", "Case,"), vec![], vec!["did you mean `Case`"]),
        ("case,side,attempt\na,base,1\na,cand,1\n".to_owned(), vec![], vec!["nothing to compare"]),
        (
            "case,side,attempt,status,x\na,base,1,great,1\na,cand,1,ok,2\n".to_owned(),
            vec![],
            vec!["column `status`", "`great`"],
        ),
        (
            "case,side,attempt,split,x\na,base,1,dev,1\na,cand,1,test,2\n".to_owned(),
            vec![],
            vec!["`split` is `dev`", "row 2"],
        ),
        (
            "case,side,attempt,recording_id,x\na,base,1,r1,1\na,cand,1,r2,2\n".to_owned(),
            vec![],
            vec!["attempt 1", "`r1`", "`r2`"],
        ),
        (text, vec!["--metric", "x:calls:lower"], vec!["row 4"]),
        (GOOD.replace(',', ";"), vec![], vec!["separated by `;`"]),
        (GOOD.replace(',', "\t"), vec![], vec!["separated by a tab"]),
        (GOOD[..GOOD.len() - 2].to_owned(), vec![], vec!["cut", "empty cell of `x`"]),
        ("a\0,s\0\n".to_owned(), vec![], vec!["UTF-16"]),
        (with("a,cand,1,2", "a,cand,1,2,3"), vec![], vec!["row 2 (line 3) has 5 cells"]),
        (with("a,cand,1,2", "a,cand,1,0x10"), vec![], vec!["row 2", "`0x10`"]),
        (with("a,cand,1,2", "a,cand,1,50%"), vec![], vec!["row 2", "`50%`"]),
        (with("b,base,1", "b,base,-1"), vec![], vec!["row 3", "column `attempt`", "`-1`"]),
        (with("b,base,1", "b,base,99999999999"), vec![], vec!["row 3", "column `attempt`"]),
        ("\n\n".to_owned(), vec![], vec!["empty"]),
        ("\u{feff}".to_owned(), vec![], vec!["empty"]),
        ("case,side,attempt,x".to_owned(), vec![], vec!["no row"]),
        ("case,case_id,side,attempt,x\na,a,base,1,1\n".to_owned(), vec![], vec!["`case` and `case_id`"]),
        (
            GOOD.to_owned(),
            vec!["--metric", "side:calls:lower:guardrail"],
            vec!["`side`", "columns of numbers are `x`"],
        ),
        (with("a,cand,1,2", &format!("a,cand,1,{}", "z".repeat(1 << 20))), vec![], vec!["row 2", "zzz...`"]),
    ] {
        let said = compare(text.as_bytes(), &more);
        assert_eq!(said.code, Some(2), "{text}\n{}\n{}", said.out, said.err);
        for part in parts {
            assert!(said.err.contains(part), "no {part:?} in: {}", said.err);
        }
        assert_eq!(said.out, "", "{}", said.out);
    }
    let said = compare(b"case,side,attempt,x\n\xff,base,1,1\n", &[]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("row 1 (line 2) is no UTF-8"), "{}", said.err);
    for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let wide: Vec<u8> = format!("\u{feff}{GOOD}").encode_utf16().flat_map(to_bytes).collect();
        let said = compare(&wide, &[]);
        assert_eq!(said.code, Some(2));
        assert!(said.err.contains("UTF-16"), "{}", said.err);
    }
}

#[test]
fn a_file_without_its_end_is_not_taken_for_whole() {
    // Cut inside the last cell of the last but one case: every row has all its cells.
    let cut = "case,side,attempt,x\na,base,1,10\na,cand,1,20\nb,base,1,1";
    let said = compare(cut.as_bytes(), &[]);
    assert_eq!(said.code, Some(2), "{}", said.out);
    assert!(said.err.contains("cut") && said.err.contains("`b`"), "{}", said.err);
    // Sorted by side: the last case that is there is whole, and a later one has no candidate.
    let cut = "case,side,attempt,x\na,base,1,10\nb,base,1,1\na,cand,1,2";
    let said = compare(cut.as_bytes(), &[]);
    assert_eq!(said.code, Some(2), "{}", said.out);
    assert!(
        said.err.contains("cut") && said.err.contains("case `b` has no row of side `cand`"),
        "{}",
        said.err
    );
}

#[test]
fn files_as_other_programs_write_them_say_the_same() {
    let plain = compare(GOOD.as_bytes(), &["--format", "json"]);
    assert_eq!(plain.code, Some(0), "{}", plain.err);
    let quoted = GOOD.replace("a,base", "\"a\",\"base\"");
    for text in [
        format!("\u{feff}{GOOD}"),
        GOOD.replace('\n', "\r\n"),
        quoted,
        GOOD.replace("case,", "case_id,"),
        GOOD.replace('\n', "\r"),
        GOOD.replace('\n', "\n\n"),
        GOOD.trim_end().to_owned() + "\n\n\n",
        GOOD.replace(",1,2", ",1, 2 "),
        GOOD.replace(",1,2", ",1.0,2.0"),
        "case,side,attempt,x\nb,cand,1,2\nb,base,1,1\na,cand,1,2\na,base,1,1\n".to_owned(),
    ] {
        let said = compare(text.as_bytes(), &["--format", "json"]);
        similar_asserts::assert_eq!(said.out, plain.out, "{}", text);
    }
}

#[test]
fn a_column_without_a_name_is_left_out_and_told() {
    let text: String = GOOD
        .lines()
        .enumerate()
        .map(|(row, line)| if row == 0 { format!(",{line},\n") } else { format!("{row},{line},9\n") })
        .collect();
    let said = compare(text.as_bytes(), &["--format", "json"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let summary: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let metrics: Vec<&String> = summary["splits"]["all"]["metrics"].as_object().unwrap().keys().collect();
    assert_eq!(metrics, ["x"]);
    assert!(summary["warnings"].to_string().contains("no name: 2 of the columns"), "{}", summary["warnings"]);
}

#[test]
fn unpaired_cases_are_listed_and_all_unpaired_is_incomplete() {
    let some = with("b,cand,1,2", "c,cand,1,2");
    let said = compare(some.as_bytes(), &["--format", "json"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let summary: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(summary["splits"]["all"]["unpaired"], serde_json::json!(["b", "c"]));
    let none = "case,side,attempt,status,x\na,base,1,ok,1\na,cand,1,failed,\n";
    let said = compare(none.as_bytes(), &["--metric", "x:calls:lower:guardrail"]);
    assert_eq!(said.code, Some(5), "{}\n{}", said.out, said.err);
    assert!(said.out.contains("INCOMPLETE"), "{}", said.out);
}

#[test]
fn rules_of_declared_columns_decide_the_exit_code() {
    let mut text = "case,side,attempt,good,cost,model\n".to_owned();
    for case in 0..40 {
        for attempt in 1..=2 {
            let wobble = (case * 7 + attempt * 3) % 5;
            text += &format!("c{case},base,{attempt},1,{},m\n", 100 + wobble);
            text += &format!(
                "c{case},cand,{attempt},{},{},m\n",
                i32::from(case % 4 != 0),
                100 + (wobble * 3) % 5
            );
        }
    }
    for (more, code, verdict) in [
        (vec![], 0, "none"),
        (vec!["--metric", "good:share:higher"], 0, "none"),
        (vec!["--metric", "good:share:higher:guardrail:0.05"], 100, "regression"),
        (vec!["--metric", "good:share:higher:guardrail:0.05", "--warn-only"], 0, "regression"),
        (vec!["--metric", "good:share:higher:guardrail:0.5"], 0, "pass"),
        (vec!["--metric", "cost:tokens:lower:guardrail:5%"], 0, "pass"),
        (vec!["--metric", "cost:tokens:lower:guardrail"], 0, "inconclusive"),
        (vec!["--metric", "cost:tokens:lower:guardrail", "--fail-on", "inconclusive"], 7, "inconclusive"),
        (vec!["--metric", "cost:tokens:lower:goal:50"], 100, "regression"),
    ] {
        let json = compare(text.as_bytes(), &[more.clone(), vec!["--format", "json"]].concat());
        assert_eq!(json.code, Some(code), "{more:?} {}", json.err);
        let summary: serde_json::Value = serde_json::from_str(&json.out).unwrap();
        assert_eq!(summary["verdict"], verdict, "{more:?}");
    }
    let human = compare(text.as_bytes(), &[]);
    assert!(human.out.lines().next().unwrap().contains("nothing was gated"), "{}", human.out);
    assert!(human.out.contains("`model`"), "a column of text is named: {}", human.out);
}

#[test]
fn a_column_without_a_direction_is_never_better_or_worse() {
    let mut text = "case,side,attempt,novelty\n".to_owned();
    for case in 0..40 {
        text += &format!("c{case},base,1,{case}\nc{case},base,2,{case}\n");
        text += &format!("c{case},cand,1,{}\nc{case},cand,2,{}\n", case + 5 + case % 2, case + 5);
    }
    let said = compare(text.as_bytes(), &["--format", "json"]);
    let summary: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let metric = &summary["splits"]["all"]["metrics"]["novelty"];
    assert_eq!(
        (&metric["call"], &metric["better"]),
        (&serde_json::Value::Null, &serde_json::Value::Null),
        "{metric}"
    );
    assert_eq!(metric["role"], "info");
    let said = compare(text.as_bytes(), &["--format", "json", "--metric", "novelty:points:lower"]);
    let summary: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(summary["splits"]["all"]["metrics"]["novelty"]["call"], "worse");
}
