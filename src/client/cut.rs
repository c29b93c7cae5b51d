//! How clients cut a text that is over a limit. Cuts never split a character.

use super::estimate::{Estimator, is_over, size, utf16_len};
use super::notice::saved_name;
use super::page::Block;
use super::profile::{Limit, Profile, SizeUnit};

/// The longest head of `text` with at most `bytes` bytes.
pub(super) fn head_bytes(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The longest tail of `text` with at most `bytes` bytes.
fn tail_bytes(text: &str, bytes: usize) -> &str {
    let mut start = text.len() - bytes.min(text.len());
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Texts as Codex cuts them: one budget for all, spent from the first on. The text in which it
/// runs out keeps its head and its tail, those behind it are left out and counted.
pub(super) fn middle_of_items(texts: &[&str], tripped: &[Limit]) -> Vec<String> {
    let mut left = tripped.iter().map(|limit| limit.limit).min().unwrap_or(0);
    let mut shown = Vec::new();
    let mut omitted = 0;
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let cost = size(text, SizeUnit::BytesDiv4, Estimator::default());
        if left == 0 {
            omitted += 1;
            continue;
        }
        let is_whole = cost <= left;
        shown.push(if is_whole { (*text).to_owned() } else { middle(text, left) });
        left = if is_whole { left - cost } else { 0 };
    }
    if omitted > 0 {
        shown.push(format!("[omitted {omitted} text items ...]"));
    }
    shown
}

/// The head and the tail within `tokens` of four bytes, half each, with a marker between them.
fn middle(text: &str, tokens: u64) -> String {
    let budget = usize::try_from(tokens.saturating_mul(4)).unwrap_or(usize::MAX);
    let (head, tail) = head_and_tail_bytes(text, budget);
    let removed = text.len().saturating_sub(budget).div_ceil(4);
    format!("{head}…{removed} tokens truncated…{tail}")
}

/// As Inspect shows it: the head and the tail of the smallest tripped limit, half each, under a sentence.
pub(super) fn middle_in_frame(text: &str, tool: &str, tripped: &[Limit]) -> String {
    let budget = tripped.iter().map(|limit| limit.limit).min().unwrap_or(0);
    let (head, tail) = head_and_tail_bytes(text, usize::try_from(budget).unwrap_or(usize::MAX));
    format!(
        "The output of your call to {tool} was too long to be displayed.\nHere is a truncated version:\n\
         <START_TOOL_OUTPUT>\n{head}{tail}\n<END_TOOL_OUTPUT>"
    )
}

fn head_and_tail_bytes(text: &str, budget: usize) -> (&str, &str) {
    (head_bytes(text, budget / 2), tail_bytes(text, budget - budget / 2))
}

/// The first fifth and the last four fifths of the limit in UTF-16 units, under a header that names the file.
pub(super) fn head_and_tail(text: &str, tripped: &[Limit]) -> String {
    let limit = tripped.iter().map(|limit| limit.limit).min().unwrap_or(0);
    let (head_units, total) = (limit / 5, utf16_len(text));
    let tail_units = limit - head_units;
    let head = &text[..byte_at_unit(text, head_units)];
    let tail = &text[byte_at_unit(text, total.saturating_sub(tail_units))..];
    format!(
        "Output too large. Showing first {} and last {} characters. For full output see: tool-results/output.txt\n\
         {head}\n\n... [{} characters omitted] ...\n\n{tail}",
        with_commas(head_units),
        with_commas(tail_units),
        with_commas(total.saturating_sub(limit)),
    )
}

/// As `toLocaleString` writes a number in English.
fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The byte at which `units` UTF-16 units end, at or before a character that would be split.
fn byte_at_unit(text: &str, units: u64) -> usize {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        seen += c.len_utf16() as u64;
        if seen > units {
            return at;
        }
    }
    text.len()
}

/// Whole lines from the start while every limit holds, then how much was left out. A first line over a limit of
/// size leaves nothing to show.
pub(super) fn head_lines(text: &str, limits: &[Limit]) -> String {
    let limit_of =
        |wanted: fn(SizeUnit) -> bool| limits.iter().find(|l| wanted(l.unit)).map_or(u64::MAX, |l| l.limit);
    let most_lines = limit_of(|unit| unit == SizeUnit::Lines);
    let most_bytes = limit_of(|unit| unit == SizeUnit::Bytes);
    let most_chars = limit_of(|unit| matches!(unit, SizeUnit::Utf16 | SizeUnit::Scalars));
    let (mut shown, mut chars, mut lines) = (0, 0, 0);
    let mut is_out_of_room = false;
    for (index, line) in text.split('\n').enumerate() {
        if index as u64 >= most_lines {
            break;
        }
        let feed = usize::from(index > 0);
        let bytes = shown + feed + line.len();
        chars += feed as u64 + utf16_len(line);
        if bytes as u64 > most_bytes || chars > most_chars {
            is_out_of_room = true;
            break;
        }
        (shown, lines) = (bytes, index + 1);
    }
    let omitted = if is_out_of_room {
        format!("{} bytes", text.len() - shown)
    } else {
        format!("{} lines", text.split('\n').count() - lines)
    };
    format!(
        "{}\n\n...{omitted} truncated...\n\nThe tool call succeeded but the output was truncated. \
         Full output saved to: tool-results/output.txt\n\
         Use Grep to search the full content or Read with offset/limit to view specific sections.",
        &text[..shown]
    )
}

/// The blocks with each oversized one replaced by a sentence that names its file.
pub(super) fn replace_blocks(
    profile: &Profile,
    tool: &str,
    tripped: &[Limit],
    blocks: &[Block],
) -> Vec<Block> {
    let over = |text: &str| tripped.iter().any(|l| is_over(text, l.unit, profile.estimator, l.limit));
    let shown = blocks.iter().map(|block| {
        if !over(block.text()) {
            return block.clone();
        }
        let chars = size(block.text(), profile.unit(), profile.estimator);
        let file = saved_name(tool);
        Block::of_text(format!("The response is too large ({chars} characters) and was saved to {file}."))
    });
    shown.collect()
}
