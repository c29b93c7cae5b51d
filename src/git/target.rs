//! Where a change is meant to land, as the CI's own variables tell.

/// The branch or commit that a CI compares with; all `None` outside CI.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CiTarget {
    /// A branch: `GITHUB_BASE_REF` or `CI_MERGE_REQUEST_TARGET_BRANCH_NAME`.
    pub branch: Option<String>,
    /// The merge base itself, where the CI has worked it out: `CI_MERGE_REQUEST_DIFF_BASE_SHA`.
    pub commit: Option<String>,
    /// The variable that spoke, for messages.
    pub variable: Option<&'static str>,
}

impl CiTarget {
    /// What the variables of this process say.
    pub fn of_process() -> Self {
        Self::from_lookup(|name| std::env::var(name).ok())
    }

    /// What variables say. Empty ones count as unset: GitHub sets `GITHUB_BASE_REF` to nothing on a push.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name| lookup(name).filter(|value| !value.trim().is_empty());
        for (variable, is_commit) in [
            ("GITHUB_BASE_REF", false),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", true),
            ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", false),
        ] {
            if let Some(value) = get(variable) {
                let (branch, commit) = if is_commit { (None, Some(value)) } else { (Some(value), None) };
                return Self { branch, commit, variable: Some(variable) };
            }
        }
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_with_a_value_counts() {
        const G: &str = "GITHUB_BASE_REF";
        const SHA: &str = "CI_MERGE_REQUEST_DIFF_BASE_SHA";
        const NAME: &str = "CI_MERGE_REQUEST_TARGET_BRANCH_NAME";
        let table = [
            (vec![], None, None, None),
            (vec![(G, "")], None, None, None),
            (vec![(G, "main")], Some("main"), None, Some(G)),
            (vec![(G, ""), (SHA, "abc"), (NAME, "dev")], None, Some("abc"), Some(SHA)),
            (vec![(SHA, " "), (NAME, "dev")], Some("dev"), None, Some(NAME)),
        ];
        for (set, branch, commit, variable) in table {
            let find = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
            let target = CiTarget::from_lookup(find);
            assert_eq!(
                (target.branch.as_deref(), target.commit.as_deref(), target.variable),
                (branch, commit, variable)
            );
        }
    }
}
