//! Sizes in words.

use crate::client::SizeUnit;
pub(super) use crate::report::counted;

/// `1 character`, `50,000 characters`.
pub(super) fn sized(count: u64, unit: SizeUnit) -> String {
    let (one, many) = match unit {
        SizeUnit::Utf16 => ("character", "characters"),
        SizeUnit::Scalars => ("code point", "code points"),
        SizeUnit::Bytes => ("byte", "bytes"),
        SizeUnit::Lines => ("line", "lines"),
        SizeUnit::TokensEstimated => ("estimated token", "estimated tokens"),
        SizeUnit::BytesDiv4 => ("quarter of bytes", "quarters of bytes"),
    };
    counted(count, one, many)
}
