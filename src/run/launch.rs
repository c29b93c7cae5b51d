//! From a resolved server definition to something to connect to: placeholders, port, folder, environment.

use super::environment::VisibleEnv;
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
    pub headers: Vec<(String, String)>,
    /// Added to what the side sees.
    pub env: Vec<(String, String)>,
    pub visible: VisibleEnv,
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
            return Ok(Target::Http { url: url.unwrap_or_default(), headers });
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

    fn mentions(&self, placeholder: &str) -> bool {
        let env = self.env.iter().map(|(_, value)| value);
        self.argv.iter().chain(&self.url).chain(env).any(|text| text.contains(placeholder))
    }

    fn replace(&self, text: &str, values: &LaunchValues<'_>, port: Option<u16>) -> io::Result<String> {
        let mut out = text.to_owned();
        if out.contains("{self}") {
            out = out.replace("{self}", &std::env::current_exe()?.display().to_string());
        }
        for (placeholder, value) in [
            ("{root}", self.root.display().to_string()),
            ("{side}", values.side.to_string()),
            ("{port}", port.map(|port| port.to_string()).unwrap_or_default()),
            ("{tmp}", values.tmp.display().to_string()),
            ("{seed}", values.seed.to_string()),
            ("{attempt_seed}", values.attempt_seed.to_owned()),
        ] {
            out = out.replace(placeholder, &value);
        }
        Ok(out)
    }
}

/// A port of loopback that was free a moment ago.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
