//! The golden limits of every client profile: each in its own unit, per result or per block, with its own view.

use mcp_regress::client::{Block, Per, Profile, SizeUnit, ToolResult, View, view};
use mcp_regress::suite::ClientConfig;
use mcp_regress::words::{Layer, ViewKind};
use serde_json::{Value, json};

use Layer::{Bytes, Chars, Lines, Tokens};
use ViewKind::{Cut, Rejected, Spilled, Whole};

fn profile(name: &str) -> Profile {
    Profile::resolve(&ClientConfig::default(), Some(name)).unwrap()
}

fn texts(texts: &[&str]) -> Value {
    let blocks: Vec<Value> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
    json!({ "content": blocks })
}

fn text(text: &str) -> Value {
    texts(&[text])
}

/// The view of a result, and the blocks that the agent can use of it.
fn seen(client: &str, meta: &Value, result: &Value) -> (View, Vec<String>) {
    let profile = profile(client);
    let result = ToolResult::parse(&result.to_string());
    let view = view(&profile, "read", meta, &result);
    let page = view.visible(&profile, &result);
    let shown = if page.is_empty() { None } else { Some(page.text().to_owned()) };
    let blocks = shown.iter().flat_map(|text| text.split(profile.join)).map(str::to_owned).collect();
    (view, blocks)
}

fn visible(client: &str, result: &Value) -> String {
    let profile = profile(client);
    let result = ToolResult::parse(&result.to_string());
    view(&profile, "read", &Value::Null, &result).visible(&profile, &result).text().to_owned()
}

const GRIN: &str = "\u{1f600}";

#[test]
fn each_limit_is_in_its_own_unit() {
    let x = |count: usize| "x".repeat(count);
    let acute = |count: usize| "\u{e9}".repeat(count);
    let grin = |count: usize| GRIN.repeat(count);
    let lines = |count: usize| vec!["y"; count].join("\n");
    let cases: &[(&str, String, &[Layer], ViewKind)] = &[
        // 50,000 UTF-16 units; 25,000 tokens of three bytes.
        ("claude-code", x(50_000), &[], Whole),
        ("claude-code", x(50_001), &[Chars], Spilled),
        ("claude-code", acute(37_500), &[], Whole),
        ("claude-code", acute(37_501), &[Tokens], Spilled),
        ("claude-code", grin(18_750), &[], Whole),
        ("claude-code", grin(18_751), &[Tokens], Spilled),
        ("claude-code", grin(25_001), &[Tokens, Chars], Spilled),
        ("claude-code-100k", x(75_000), &[], Whole),
        ("claude-code-100k", x(75_001), &[Tokens], Spilled),
        ("claude-code-100k", x(100_001), &[Tokens, Chars], Spilled),
        ("claude-code-legacy", x(75_000), &[], Whole),
        ("claude-code-legacy", x(75_001), &[Tokens], Rejected),
        ("claude-desktop", x(1_048_576), &[], Whole),
        ("claude-desktop", x(1_048_577), &[Chars], Rejected),
        ("claude-desktop", grin(524_288), &[], Whole),
        ("claude-desktop", grin(524_289), &[Chars], Rejected),
        // 10,000 tokens of four bytes, and a fifth more.
        ("codex", x(48_000), &[], Whole),
        ("codex", x(48_001), &[Tokens], Cut),
        ("codex", acute(24_000), &[], Whole),
        ("codex", acute(24_001), &[Tokens], Cut),
        ("gemini-cli", x(40_000), &[], Whole),
        ("gemini-cli", x(40_001), &[Chars], Cut),
        ("gemini-cli", grin(20_000), &[], Whole),
        ("gemini-cli", grin(20_001), &[Chars], Cut),
        ("qwen-code", x(25_000), &[], Whole),
        ("qwen-code", x(25_001), &[Chars], Cut),
        ("qwen-code", acute(25_000), &[], Whole),
        ("qwen-code", lines(1_000), &[], Whole),
        ("qwen-code", lines(1_001), &[Lines], Cut),
        ("vscode-copilot", x(8_192), &[], Whole),
        ("vscode-copilot", x(8_193), &[Bytes], Spilled),
        ("vscode-copilot", acute(4_096), &[], Whole),
        ("vscode-copilot", acute(4_097), &[Bytes], Spilled),
        // Scalars: an emoji counts one, in four bytes and two UTF-16 units.
        ("goose", x(200_000), &[], Whole),
        ("goose", x(200_001), &[Chars], Cut),
        ("goose", grin(200_000), &[], Whole),
        ("goose", grin(200_001), &[Chars], Cut),
        ("opencode", x(51_200), &[], Whole),
        ("opencode", x(51_201), &[Bytes], Cut),
        ("opencode", acute(25_601), &[Bytes], Cut),
        ("opencode", lines(2_000), &[], Whole),
        ("opencode", lines(2_001), &[Lines], Cut),
        ("opencode", "y\n".repeat(2_000), &[Lines], Cut),
        ("inspect-ai", x(16_384), &[], Whole),
        ("inspect-ai", x(16_385), &[Bytes], Cut),
        ("inspect-ai", grin(4_096), &[], Whole),
        ("inspect-ai", grin(4_097), &[Bytes], Cut),
        ("zed", x(3_000_000), &[], Whole),
        ("cline", x(3_000_000), &[], Whole),
        ("none", x(3_000_000), &[], Whole),
    ];
    for (client, content, layers, kind) in cases {
        let (view, _) = seen(client, &Value::Null, &text(content));
        let bytes = content.len();
        assert_eq!((view.oversized_by.as_slice(), view.kind), (*layers, *kind), "{client}, {bytes} bytes");
        let whole = visible(client, &text(content));
        assert_eq!(whole == *content, *kind == Whole, "{client}, {bytes} bytes");
        assert_eq!(whole.is_empty(), matches!(kind, Spilled | Rejected), "{client}, {bytes} bytes");
    }
}

#[test]
fn codex_spends_one_budget_on_all_blocks_from_the_first_on() {
    // The second block runs out of it, the third is left out.
    let parts = ["a".repeat(40_000), "b".repeat(10_000), "c".repeat(5)];
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let (view, blocks) = seen("codex", &Value::Null, &texts(&parts));
    assert_eq!((view.kind, view.oversized_by.as_slice()), (Cut, &[Tokens][..]));
    let half = "b".repeat(4_000);
    let second = format!("{half}\u{2026}500 tokens truncated\u{2026}{half}");
    assert_eq!(blocks, [parts[0], second.as_str(), "[omitted 1 text items ...]"]);

    // Each block is rounded up by itself: 3 of one byte are 3 tokens.
    let nearly = "a".repeat(47_992);
    assert_eq!(seen("codex", &Value::Null, &texts(&[&nearly, "b", "c"])).0.kind, Whole);
    let (_, blocks) = seen("codex", &Value::Null, &texts(&[&nearly, "b", "c", "d"]));
    assert_eq!(blocks, [nearly.as_str(), "b", "c", "[omitted 1 text items ...]"]);

    // A character is never split: of 48,001 bytes 24,000 stay at each side, less what would be half of one.
    let odd = format!("x{}", "\u{e9}".repeat(24_001));
    let shown = visible("codex", &text(&odd));
    let side = "\u{e9}".repeat(11_999);
    assert_eq!(shown, format!("x{side}\u{2026}1 tokens truncated\u{2026}\u{e9}{side}"));
}

#[test]
fn gemini_shows_a_fifth_and_four_fifths_of_a_single_text() {
    let long = format!("{}{}{}", "h".repeat(8_000), "m", "t".repeat(32_000));
    assert_eq!(
        visible("gemini-cli", &text(&long)),
        format!(
            "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: \
             tool-results/output.txt\n{}\n\n... [1 characters omitted] ...\n\n{}",
            "h".repeat(8_000),
            "t".repeat(32_000)
        )
    );
    // Two blocks escape, however large.
    let large = "x".repeat(40_001);
    for parts in [[large.as_str(), "y"], [large.as_str(), large.as_str()]] {
        let (view, blocks) = seen("gemini-cli", &Value::Null, &texts(&parts));
        assert_eq!((view.kind, blocks.len()), (Whole, 2));
    }
    // An emoji that stands across the cut is left out.
    let emoji = format!("x{}", GRIN.repeat(20_000));
    let shown = visible("gemini-cli", &text(&emoji));
    let body = shown.split_once('\n').unwrap().1;
    let (head, tail) = body.split_once("\n\n... [1 characters omitted] ...\n\n").unwrap();
    assert_eq!((head.encode_utf16().count(), tail.encode_utf16().count()), (7_999, 32_000));
}

#[test]
fn goose_replaces_the_blocks_that_are_too_large() {
    let large = GRIN.repeat(200_001);
    let (view, blocks) = seen("goose", &Value::Null, &texts(&["before", &large, "after"]));
    assert_eq!((view.kind, blocks.len()), (Cut, 3));
    assert_eq!((blocks[0].as_str(), blocks[2].as_str()), ("before", "after"));
    assert!(blocks[1].contains("200001 characters") && blocks[1].contains("tool-results/"), "{}", blocks[1]);
    // Together they may be as large as they like.
    let half = "x".repeat(150_000);
    assert_eq!(seen("goose", &Value::Null, &texts(&[&half, &half])).0.kind, Whole);
}

#[test]
fn opencode_keeps_whole_lines_from_the_start() {
    let numbered: Vec<String> = (1..=2_001).map(|number| format!("line {number}")).collect();
    let shown = visible("opencode", &text(&numbered.join("\n")));
    let (kept, notice) = shown.split_once("\n\n...").unwrap();
    assert_eq!(kept, numbered[..2_000].join("\n"));
    assert!(notice.starts_with("1 lines truncated...\n"), "{notice}");

    // One line over the limit leaves nothing to show.
    let shown = visible("opencode", &text(&"x".repeat(60 << 10)));
    assert!(shown.starts_with("\n\n...61440 bytes truncated...\n"), "{:.80}", shown);

    let long = ["a".repeat(40_000), "b".repeat(20_000)].join("\n");
    let shown = visible("opencode", &text(&long));
    assert!(shown.starts_with(&format!("{}\n\n...20001 bytes truncated...", "a".repeat(40_000))));
}

#[test]
fn inspect_shows_head_and_tail_in_a_frame() {
    let long = format!("{}{}{}", "h".repeat(8_192), "middle", "t".repeat(8_192));
    assert_eq!(
        visible("inspect-ai", &text(&long)),
        format!(
            "The output of your call to read was too long to be displayed.\nHere is a truncated version:\n\
             <START_TOOL_OUTPUT>\n{}{}\n<END_TOOL_OUTPUT>",
            "h".repeat(8_192),
            "t".repeat(8_192)
        )
    );
}

#[test]
fn clients_forward_what_they_forward() {
    let both = json!({"content": [{"type": "text", "text": "a"}, {"type": "image", "data": ""}, {"type": "text", "text": "b"}],
        "structuredContent": {"k": "\u{e9}"}});
    for (clients, wanted) in [
        (&["claude-code", "claude-code-100k", "codex", "vscode-copilot"][..], r#"{"k":"é"}"#),
        (&["claude-code-legacy", "claude-desktop", "gemini-cli", "qwen-code", "goose", "opencode"], "a\nb"),
        (&["inspect-ai", "none"], "a\nb"),
        (&["zed"], "ab"),
        (&["cline"], "a\n\nb"),
    ] {
        for client in clients {
            assert_eq!(visible(client, &both), wanted, "{client}");
        }
    }
    // The size is that of what is forwarded: small text beside large structured content.
    let large =
        json!({"content": [{"type": "text", "text": "a"}], "structuredContent": {"k": "x".repeat(60_000)}});
    for (client, kind) in
        [("claude-code", Spilled), ("codex", Cut), ("vscode-copilot", Spilled), ("gemini-cli", Whole)]
    {
        assert_eq!(seen(client, &Value::Null, &large).0.kind, kind, "{client}");
    }
}

#[test]
fn a_tool_may_lift_the_limits_of_claude_code() {
    let meta = |chars: u64| json!({ "anthropic/maxResultSizeChars": chars });
    for (declared, chars, kind) in [
        (meta(200_000), 200_000, Whole),
        (meta(200_000), 200_001, Spilled),
        (meta(900_000), 500_000, Whole),
        (meta(900_000), 500_001, Spilled),
        (meta(1_000), 1_001, Spilled),
        (json!({}), 200_000, Spilled),
    ] {
        let (view, _) = seen("claude-code", &declared, &text(&"x".repeat(chars)));
        assert_eq!(view.kind, kind, "{declared} {chars}");
    }
    assert_eq!(seen("gemini-cli", &meta(200_000), &text(&"x".repeat(50_000))).0.kind, Cut);
}

/// The table that is published beside the method is the one in the code.
#[test]
fn the_table_is_the_published_one() {
    let published: Vec<Value> = serde_json::from_str(include_str!("../data/client_profiles.json")).unwrap();
    let names: Vec<&str> = published.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(Profile::names().collect::<Vec<_>>(), names);
    for row in &published {
        let client = profile(row["id"].as_str().unwrap());
        let limits: Vec<Value> = client
            .limits
            .iter()
            .map(|limit| json!([limit.layer.as_str(), limit.unit.as_str(), limit.limit]))
            .collect();
        let wanted = row["limits"].as_array().unwrap().iter().map(|limit| {
            let factor = limit.get("factor").map_or(1.0, |factor| factor.as_f64().unwrap());
            json!([limit["layer"], limit["unit"], (limit["limit"].as_f64().unwrap() * factor) as u64])
        });
        assert_eq!(limits, wanted.collect::<Vec<_>>(), "{}", client.id);
        assert_eq!(client.per.as_str(), row["per"], "{}", client.id);
        assert_eq!(client.strategy.as_str(), row["strategy"], "{}", client.id);
        let is_structured = row["representation"] == "structured_first";
        assert_eq!(client.representation.as_str() == "structured_first", is_structured, "{}", client.id);
        for limit in row["limits"].as_array().unwrap() {
            if let Some(estimator) = limit.get("estimator") {
                assert_eq!(client.estimator.name(), *estimator, "{}", client.id);
            }
        }
    }
    let units: Vec<SizeUnit> = published
        .iter()
        .flat_map(|row| profile(row["id"].as_str().unwrap()).limits)
        .map(|limit| limit.unit)
        .collect();
    assert!(SizeUnit::ALL.iter().all(|unit| units.contains(unit)), "{units:?}");
    assert!(
        [Per::Result, Per::TextBlock, Per::SingleTextPart]
            .iter()
            .all(|per| { published.iter().any(|row| row["per"] == per.as_str()) })
    );
}

/// With a tokenizer a token limit is counted by it; what is estimated is named so.
#[test]
fn an_estimator_is_chosen_by_name() {
    let of = |estimator: &str| {
        let config = ClientConfig { token_estimator: Some(estimator.to_owned()), ..ClientConfig::default() };
        Profile::resolve(&config, Some("claude-code"))
    };
    let result =
        ToolResult { blocks: vec![Block::of_text("word ".repeat(5_000))], parts: 1, ..ToolResult::default() };
    let tokens = |profile: &Profile| view(profile, "read", &Value::Null, &result).tokens_estimated;
    assert_eq!(tokens(&of("utf8-bytes/4").unwrap()), 6_250);
    let error = of("o300k").unwrap_err().to_string();
    assert!(error.contains("`o300k` is not known") && error.contains("utf8-bytes/3"), "{error}");
    let has_vocabulary = cfg!(feature = "tokens");
    match of("o200k") {
        Ok(profile) => {
            assert!(has_vocabulary);
            // One a word, and the space at the end.
            assert_eq!((tokens(&profile), profile.estimator.name()), (5_001, "o200k".to_owned()));
            assert_ne!(profile.sha256(), of("utf8-bytes/3").unwrap().sha256());
        }
        Err(error) => {
            assert!(!has_vocabulary);
            assert!(error.to_string().contains("feature `tokens`"), "{error}");
        }
    }
}
