//! From a resolved server definition to something to connect to: placeholders, port, folder, environment.

use super::environment::VisibleEnv;
use super::secrets::Secrets;
use crate::suite::{Placeholder, fill};
use crate::wire::{LaunchSpec, Target};
use crate::words::Side;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

/// A side's server, with `${VAR}` expanded and placeholders still in place.
#[derive(Clone)]
pub struct SideSpec {
    /// Empty for a server that is up already.
    pub argv: Vec<String>,
    pub url: Option<String>,
    /// The url is that of an event stream in the manner of revision 2024-11-05.
    pub is_legacy_sse: bool,
    pub headers: Vec<(String, String)>,
    /// Added to what the side sees.
    pub env: Vec<(String, String)>,
    pub visible: VisibleEnv,
    /// What must not be written down of all this.
    pub secrets: Secrets,
    pub root: PathBuf,
    pub cwd: PathBuf,
}

/// What placeholders stand for in one launch.
pub struct LaunchValues<'v> {
    pub side: Side,
    pub seed: u64,
    /// `{attempt_seed}`; empty where a process serves more than one attempt.
    pub attempt_seed: &'v str,
    /// `{tmp}`: a folder of this process alone.
    pub tmp: &'v Path,
}

impl SideSpec {
    /// Where to connect, with every placeholder replaced.
    ///
    /// # Errors
    /// When no port is free or this executable has no path.
    pub fn target(&self, values: &LaunchValues<'_>) -> io::Result<Target> {
        let port = self.mentions("{port}").then(free_port).transpose()?;
        let replace = |text: &str| self.replace(text, values, port);
        let headers = self.headers.clone();
        let url = self.url.as_deref().map(replace).transpose()?;
        if self.argv.is_empty() {
            let url = url.unwrap_or_default();
            return Ok(match self.is_legacy_sse {
                true => Target::Sse { launch: None, url, headers },
                false => Target::Http { url, headers },
            });
        }
        let mut argv = self.argv.iter().map(|word| replace(word)).collect::<io::Result<Vec<_>>>()?;
        if argv[0].contains('/') && !argv[0].starts_with('/') {
            argv[0] = self.root.join(&argv[0]).display().to_string();
        }
        let env = self.environment().into_iter().map(|(name, value)| Ok((name, replace(&value)?)));
        let env = env.collect::<io::Result<Vec<_>>>()?;
        let launch = LaunchSpec { argv, env, cwd: self.cwd.clone() };
        Ok(match url {
            None => Target::Stdio(launch),
            Some(url) if self.is_legacy_sse => Target::Sse { launch: Some(launch), url, headers },
            Some(url) => Target::HttpCommand { launch, url, headers },
        })
    }

    /// What the side sees: variables of this process that it may, and its own over them.
    pub fn environment(&self) -> Vec<(String, String)> {
        let mut env = self.visible.variables();
        env.retain(|(name, _)| !self.env.iter().any(|(own, _)| own == name));
        env.extend(self.env.iter().cloned());
        env
    }

    /// Whether a command, an argument, a variable or the url holds this placeholder.
    pub fn mentions(&self, placeholder: &str) -> bool {
        let env = self.env.iter().map(|(_, value)| value);
        self.argv.iter().chain(&self.url).chain(env).any(|text| text.contains(placeholder))
    }

    fn replace(&self, text: &str, values: &LaunchValues<'_>, port: Option<u16>) -> io::Result<String> {
        let own_path = if text.contains("{self}") { Some(std::env::current_exe()?) } else { None };
        Ok(fill(text, |placeholder| match placeholder {
            Placeholder::SelfBinary => own_path.as_ref().map(|path| path.display().to_string()),
            Placeholder::Root => Some(self.root.display().to_string()),
            Placeholder::Side => Some(values.side.to_string()),
            Placeholder::Port => port.map(|port| port.to_string()),
            Placeholder::Tmp => Some(values.tmp.display().to_string()),
            Placeholder::Seed => Some(values.seed.to_string()),
            Placeholder::AttemptSeed => Some(values.attempt_seed.to_owned()),
        }))
    }
}

/// A port of loopback that was free a moment ago.
pub(super) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
