//! Which side names of a file play which side.

use super::ForeignError;
use crate::words::Side;

/// The names that a person gave; what is not named has defaults.
#[derive(Debug, Clone, Default)]
pub struct SideNames {
    pub baseline: Option<String>,
    pub candidate: Option<String>,
    pub same_code: Vec<String>,
}

impl SideNames {
    /// The side of each name of the file; `None` for a name that takes no part.
    ///
    /// # Errors
    /// When a side that is named or needed is not there, or a name would play two sides.
    pub(super) fn assign(&self, found: &[String]) -> Result<Vec<Option<Side>>, ForeignError> {
        let baseline = one(found, self.baseline.as_deref(), ["baseline", "base"], "--baseline")?;
        let candidate = one(found, self.candidate.as_deref(), ["candidate", "cand"], "--candidate")?;
        let mut roles = vec![None; found.len()];
        let mut give = |place: usize, side: Side| {
            if roles[place].is_some() {
                return Err(ForeignError::SideTwice(found[place].clone()));
            }
            roles[place] = Some(side);
            Ok(())
        };
        give(baseline, Side::Baseline)?;
        give(candidate, Side::Candidate)?;
        if self.same_code.is_empty() {
            for (number, place) in same_code_by_name(found, [baseline, candidate]).into_iter().enumerate() {
                give(place, Side::SameCode(number as u32 + 1))?;
            }
        }
        for (number, name) in self.same_code.iter().enumerate() {
            give(place_of(found, name, "--same-code")?, Side::SameCode(number as u32 + 1))?;
        }
        // Of a file that this bench wrote; meaningful only beside the candidate that it repeats.
        if found[candidate] == "candidate" {
            for (place, name) in found.iter().enumerate() {
                if name == "candidate-again" && roles[place].is_none() {
                    roles[place] = Some(Side::CandidateAgain);
                }
            }
        }
        Ok(roles)
    }
}

fn one(
    found: &[String],
    named: Option<&str>,
    defaults: [&'static str; 2],
    flag: &'static str,
) -> Result<usize, ForeignError> {
    if let Some(name) = named {
        return place_of(found, name, flag);
    }
    let places = defaults.map(|name| found.iter().position(|side| side == name));
    match places {
        [Some(_), Some(_)] => {
            Err(ForeignError::TwoDefaults(defaults[0].to_owned(), defaults[1].to_owned(), flag))
        }
        [Some(place), None] | [None, Some(place)] => Ok(place),
        [None, None] => Err(no_side(found, &defaults.join("` or `"), flag)),
    }
}

fn place_of(found: &[String], name: &str, flag: &'static str) -> Result<usize, ForeignError> {
    found.iter().position(|side| side == name).ok_or_else(|| no_side(found, name, flag))
}

fn no_side(found: &[String], wanted: &str, flag: &'static str) -> ForeignError {
    const SHOWN: usize = 10;
    let mut names: Vec<String> = found.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if found.len() > SHOWN {
        names.push("...".to_owned());
    }
    ForeignError::NoSide { wanted: wanted.to_owned(), found: names.join(", "), flag }
}

/// `same-code*`, a number at the end read as one.
fn same_code_by_name(found: &[String], taken: [usize; 2]) -> Vec<usize> {
    let rest = |place: &usize| found[*place].strip_prefix("same-code");
    let mut places: Vec<usize> =
        (0..found.len()).filter(|place| rest(place).is_some() && !taken.contains(place)).collect();
    places.sort_by_key(|place| {
        let rest = rest(place).unwrap_or_default();
        (rest.trim_start_matches(['-', '_']).parse::<u64>().unwrap_or(0), rest.to_owned())
    });
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigned(found: &[&str], names: &SideNames) -> Result<Vec<String>, String> {
        let found: Vec<String> = found.iter().map(|name| (*name).to_owned()).collect();
        let roles = names.assign(&found).map_err(|error| error.to_string())?;
        Ok(roles.into_iter().map(|side| side.map_or("none".to_owned(), |side| side.to_string())).collect())
    }

    #[test]
    fn names_with_and_without_defaults() {
        let named = SideNames {
            baseline: Some("old".to_owned()),
            candidate: Some("new".to_owned()),
            same_code: vec!["old2".to_owned()],
        };
        let plain = SideNames::default();
        for (found, names, want) in [
            (vec!["base", "cand"], &plain, vec!["baseline", "candidate"]),
            (vec!["candidate", "x", "baseline"], &plain, vec!["candidate", "none", "baseline"]),
            (
                vec!["same-code-10", "same-code", "base", "same-code-2", "cand"],
                &plain,
                vec!["same-code-3", "same-code", "baseline", "same-code-2", "candidate"],
            ),
            (vec!["new", "old", "old2", "base"], &named, vec!["candidate", "baseline", "same-code", "none"]),
            (
                vec!["baseline", "candidate", "candidate-again"],
                &plain,
                vec!["baseline", "candidate", "candidate-again"],
            ),
        ] {
            assert_eq!(assigned(&found, names).unwrap(), want, "{found:?}");
        }
    }

    #[test]
    fn a_side_that_is_not_there_is_named() {
        let plain = SideNames::default();
        let wrong = SideNames { baseline: Some("bsae".to_owned()), ..SideNames::default() };
        let twice = SideNames { baseline: Some("cand".to_owned()), ..SideNames::default() };
        for (found, names, part) in [
            (vec!["cand"], &plain, "`baseline` or `base`"),
            (vec!["base"], &plain, "`candidate` or `cand`"),
            (vec!["base", "cand"], &wrong, "`bsae`: the sides are `base`, `cand`"),
            (vec!["base", "baseline", "cand"], &plain, "both"),
            (vec!["base", "cand"], &twice, "named twice"),
        ] {
            let error = assigned(&found, names).unwrap_err();
            assert!(error.contains(part), "{found:?}: {error}");
        }
    }
}
