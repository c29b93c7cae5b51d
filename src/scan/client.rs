//! The client profile by which the results of a file are measured.

use crate::client::{Profile, ProfileError};
use crate::import::Format;
use crate::suite::ClientConfig;
use std::collections::BTreeMap;

/// One profile for all files, or that of the client that each format belongs to.
#[derive(Debug)]
pub struct Clients {
    by_format: BTreeMap<&'static str, Profile>,
}

impl Clients {
    /// `name` and the limits of `config` hold for every file; without both each format has its own client's.
    ///
    /// # Errors
    /// A profile, unit or estimator that is not known.
    pub fn resolve(config: &ClientConfig, name: Option<&str>) -> Result<Self, ProfileError> {
        let is_chosen = name.is_some() || config.profile.is_some() || config.limits.is_some();
        let of = |format: &Format| {
            let own = match format {
                Format::Codex => "codex",
                Format::Gemini => "gemini-cli",
                Format::Inspect => "inspect-ai",
                Format::ClaudeCode | Format::JsonRpc => "claude-code",
            };
            let profile = Profile::resolve(config, if is_chosen { name } else { Some(own) })?;
            Ok((format.as_str(), profile))
        };
        let by_format = Format::ALL.iter().map(of).collect::<Result<_, _>>()?;
        Ok(Self { by_format })
    }

    /// The profile of a format's files.
    pub fn of(&self, format: Format) -> &Profile {
        &self.by_format[format.as_str()]
    }
}
