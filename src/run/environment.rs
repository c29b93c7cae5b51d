//! What a side sees of the environment: never the CI's secrets, nor the other side's.

/// The variables of the parent that a side may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VisibleEnv {
    /// All of them: the default outside CI.
    All,
    /// The common ones and these.
    Named(Vec<String>),
}

/// Variables that every side sees.
const COMMON: &[&str] = &["PATH", "HOME", "USER", "LANG", "TMPDIR", "TERM", "SHELL"];
const PROXIES: &[&str] = &["http_proxy", "https_proxy", "no_proxy", "all_proxy"];

/// Whether this process runs in CI.
pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false" && value != "0")
}

impl VisibleEnv {
    /// What `pass_env` gives: in CI never everything.
    pub fn of(pass_env: Option<&[String]>, is_ci: bool) -> Self {
        match pass_env {
            None if is_ci => Self::Named(Vec::new()),
            None => Self::All,
            Some([all]) if all == "all" => {
                if is_ci {
                    Self::Named(Vec::new())
                } else {
                    Self::All
                }
            }
            Some(names) => Self::Named(names.to_vec()),
        }
    }

    /// The variables of this process that the side gets; those that are no Unicode are left out.
    pub fn variables(&self) -> Vec<(String, String)> {
        let unicode =
            std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
        unicode.filter(|(name, _)| self.shows(name)).collect()
    }

    fn shows(&self, name: &str) -> bool {
        match self {
            Self::All => !name.starts_with("MCP_REGRESS_"),
            Self::Named(names) => {
                COMMON.contains(&name)
                    || name.starts_with("LC_")
                    || PROXIES.contains(&name.to_lowercase().as_str())
                    || names.iter().any(|wanted| wanted == name)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ci_never_passes_everything() {
        let all = vec!["all".to_owned()];
        assert_eq!(VisibleEnv::of(None, false), VisibleEnv::All);
        assert_eq!(VisibleEnv::of(Some(&all), false), VisibleEnv::All);
        for pass in [None, Some(all.as_slice())] {
            let visible = VisibleEnv::of(pass, true);
            assert!(!visible.shows("GITHUB_TOKEN") && visible.shows("PATH") && visible.shows("LC_ALL"));
            assert!(visible.shows("HTTPS_PROXY"));
        }
        let named = VisibleEnv::of(Some(&["X".to_owned()]), true);
        assert!(named.shows("X") && !named.shows("XY"));
    }
}
