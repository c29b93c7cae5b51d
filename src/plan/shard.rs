//! Shards: the part of the cases that one machine takes.

use super::order_cases;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Most parts that a run is cut into.
const MOST: u32 = 100_000;

/// Part `index` of `count`, from 1. A case is in one part with all its sides and attempts, so that a pair
/// never crosses machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    pub index: u32,
    pub count: u32,
}

impl Shard {
    /// The whole of a run that is not cut.
    pub const WHOLE: Self = Self { index: 1, count: 1 };

    /// # Errors
    /// When the index is not in 1..=count, or there are too many parts.
    pub fn new(index: u32, count: u32) -> Result<Self, String> {
        if count == 0 || count > MOST {
            return Err(format!("`{count}` shards; expected 1 to {MOST}"));
        }
        if index == 0 || index > count {
            return Err(format!(
                "there is no shard `{index}` of {count}; they are numbered from 1 to {count}"
            ));
        }
        Ok(Self { index, count })
    }

    /// Reads `I/N`.
    ///
    /// # Errors
    /// When it is no such pair of numbers.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(i, n)| Some((number(i)?, number(n)?)));
        let (index, count) =
            numbers.ok_or_else(|| format!("`{text}` is no shard; expected I/N, such as 2/4"))?;
        Self::new(index, count)
    }

    /// The ids of this part: of all ids in the seed's order every `count`-th. Pure: no order of files, no
    /// machine and no clock decides.
    pub fn ids<'i>(self, ids: impl IntoIterator<Item = &'i String>, seed: u64) -> BTreeSet<String> {
        let mut ids: Vec<String> = ids.into_iter().cloned().collect();
        order_cases(&mut ids, seed);
        ids.into_iter().skip(self.index as usize - 1).step_by(self.count as usize).collect()
    }

    /// The folder of its journal, below `shards`.
    pub fn folder(self) -> String {
        format!("{}-of-{}", self.index, self.count)
    }
}

/// Digits alone: no sign, no blank.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_out_every_case_once_and_evenly_by_ids_and_seed_alone() {
        let ids: Vec<String> = (0..101).map(|n| format!("docs/case-{n:03}")).collect();
        let mut turned = ids.clone();
        turned.reverse();
        for count in [1, 2, 4, 7, 101, 120] {
            let parts: Vec<_> = (1..=count).map(|index| Shard { index, count }.ids(&ids, 7)).collect();
            let mut all: Vec<String> = parts.iter().flatten().cloned().collect();
            all.sort();
            assert_eq!(all, ids, "{count}");
            let sizes: Vec<usize> = parts.iter().map(BTreeSet::len).collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
            assert_eq!(parts[0], Shard { index: 1, count }.ids(&turned, 7));
        }
        let half = Shard { index: 1, count: 2 };
        assert_ne!(half.ids(&ids, 7), half.ids(&ids, 8));
    }

    #[test]
    fn a_shard_is_two_numbers_from_one() {
        assert_eq!(Shard::parse("2/4"), Ok(Shard { index: 2, count: 4 }));
        for wrong in
            ["", "2", "2/", "/4", "0/4", "5/4", "1/0", "+1/4", " 1/4", "1/4/2", "-1/4", "1/9999999999", "a/b"]
        {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
    }
}
