//! How clients cut a text that is over a limit. Cuts never split a character.

use super::estimate::{is_over, size, utf16_len};
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

/// The head and the tail within the smallest tripped limit, half each, with a marker between them.
pub(super) fn middle(text: &str, tripped: &[Limit]) -> String {
    let bytes_of = |limit: &Limit| {
        if limit.unit == SizeUnit::BytesDiv4 { limit.limit.saturating_mul(4) } else { limit.limit }
    };
    let budget = tripped.iter().map(bytes_of).min().unwrap_or(0) as usize;
    let (head, tail) = (head_bytes(text, budget / 2), tail_bytes(text, budget - budget / 2));
    let tokens = (text.len() - head.len() - tail.len()).div_ceil(4);
    format!("{head}…{tokens} tokens truncated…{tail}")
}

/// The first fifth and the last four fifths of the limit in UTF-16 units, under a header that names the file.
pub(super) fn head_and_tail(text: &str, tripped: &[Limit]) -> String {
    let limit = tripped.iter().map(|limit| limit.limit).min().unwrap_or(0);
    let (head_units, total) = (limit / 5, utf16_len(text));
    let head = &text[..byte_at_unit(text, head_units)];
    let tail = &text[byte_at_unit(text, total.saturating_sub(limit - head_units))..];
    let omitted = total.saturating_sub(utf16_len(head) + utf16_len(tail));
    format!(
        "Output too large. Showing first {} and last {} characters. For full output see: tool-results/output.txt\n\
         {head}\n\n... [{omitted} characters omitted] ...\n\n{tail}",
        utf16_len(head),
        utf16_len(tail)
    )
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

/// Whole lines from the start while every limit holds, then how much was left out.
pub(super) fn head_lines(text: &str, limits: &[Limit]) -> String {
    let limit_of =
        |wanted: fn(SizeUnit) -> bool| limits.iter().find(|l| wanted(l.unit)).map_or(u64::MAX, |l| l.limit);
    let most_lines = limit_of(|unit| unit == SizeUnit::Lines);
    let most_bytes = limit_of(|unit| unit == SizeUnit::Bytes);
    let most_chars = limit_of(|unit| matches!(unit, SizeUnit::Utf16 | SizeUnit::Scalars));
    let (mut end, mut chars) = (0, 0);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        chars += utf16_len(line);
        let bytes = (end + line.trim_end_matches('\n').len()) as u64;
        if index as u64 >= most_lines || bytes > most_bytes || chars > most_chars {
            break;
        }
        end += line.len();
    }
    let omitted = text.len() - end;
    format!(
        "{}\n\n...{omitted} bytes truncated...\n\nFull output saved to: tool-results/output.txt\n\
         Use grep, or read it with offset and limit.",
        text[..end].trim_end_matches('\n')
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
