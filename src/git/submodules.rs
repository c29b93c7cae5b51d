//! Submodules of a checkout: from the user's own clone of them where it has the commit, else from their address.
//!
//! `git submodule update` would need the network, and credentials that a CI has thrown away by then, for what
//! the user's clone holds already; and it would write addresses, with their tokens, into the cache.

use super::command::{Git, Patience};
use super::error::one_line;
use super::tree::{self, Source};
use super::{GitError, Repository};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// What `.gitmodules` says of one.
#[derive(Debug, Default)]
struct Declared {
    name: String,
    path: String,
    url: String,
    update: String,
}

/// Writes the submodules of `commit`, which is checked out at `root`, and theirs.
pub(super) fn write(root: &Path, source: &Source, commit: &str, patience: &Patience) -> Result<(), GitError> {
    let links = links(root, commit, patience)?;
    if links.is_empty() {
        return Ok(());
    }
    let declared = declared(root, commit, patience)?;
    for (path, wanted) in links {
        // A link that nothing declares stays an empty folder, as in every clone; so does `update = none`.
        let Some(module) = declared.iter().find(|module| Path::new(&module.path) == path) else { continue };
        if module.update != "none" {
            let place = place(root, &path)
                .ok_or_else(|| failed(module, &wanted, &module.url, "a link stands where a folder should"))?;
            write_one(&place, module, source, &wanted, patience)?;
        }
    }
    Ok(())
}

fn write_one(
    place: &Path,
    module: &Declared,
    parent: &Source,
    wanted: &str,
    patience: &Patience,
) -> Result<(), GitError> {
    let configured = match &parent.local {
        Some(local) => local.config_value(&format!("submodule.{}.url", module.name))?,
        None => None,
    };
    let url = configured.unwrap_or_else(|| resolve_url(parent.url.as_deref(), &module.url));
    let local = match &parent.local {
        Some(local) => find_local(local, module, wanted, patience)?,
        None => None,
    };
    let is_local = local.is_some();
    let source = Source { local, url: Some(url.clone()) };
    if is_local {
        return tree::write(place, &source, wanted, patience);
    }
    tree::init(place, wanted, patience)?;
    fetch(place, module, &url, wanted, patience)?;
    tree::finish(place, &source, wanted, patience)
}

/// The paths and commits of the links in a commit's tree.
fn links(root: &Path, commit: &str, patience: &Patience) -> Result<Vec<(PathBuf, String)>, GitError> {
    let told = Git::at(root, patience).no_higher().args(["ls-tree", "-r", "-z", "--full-tree", commit]);
    let told = told.must()?;
    let entries = told.stdout.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"160000 commit "));
    let parsed = entries.filter_map(|entry| {
        let tab = entry.iter().position(|byte| *byte == b'\t')?;
        let wanted = String::from_utf8_lossy(&entry[b"160000 commit ".len()..tab]).into_owned();
        Some((PathBuf::from(OsString::from_vec(entry[tab + 1..].to_vec())), wanted))
    });
    Ok(parsed.collect())
}

fn declared(root: &Path, commit: &str, patience: &Patience) -> Result<Vec<Declared>, GitError> {
    let blob = format!("{commit}:.gitmodules");
    let told = Git::at(root, patience)
        .no_higher()
        .args(["config", "-z", "--blob", &blob, "--get-regexp", r"^submodule\..*\.(path|url|update)$"])
        .output()?;
    let mut modules: BTreeMap<String, Declared> = BTreeMap::new();
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    for (key, value) in text.split('\0').filter_map(|entry| entry.split_once('\n')) {
        let Some((name, field)) = key.strip_prefix("submodule.").and_then(|rest| rest.rsplit_once('.'))
        else {
            continue;
        };
        let module = modules.entry(name.to_owned()).or_default();
        name.clone_into(&mut module.name);
        match field {
            "path" => value.trim_end_matches('/').clone_into(&mut module.path),
            "url" => value.clone_into(&mut module.url),
            _ => value.clone_into(&mut module.update),
        }
    }
    Ok(modules.into_values().collect())
}

/// The folder of a link, unless a symbolic link on the way leads elsewhere.
fn place(root: &Path, path: &Path) -> Option<PathBuf> {
    let mut place = root.to_owned();
    for part in path.components() {
        let Component::Normal(part) = part else { return None };
        place.push(part);
        if place.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            return None;
        }
    }
    Some(place)
}

/// The user's own clone of a submodule, where it stands now or once stood, if it has the commit.
fn find_local(
    parent: &Repository,
    module: &Declared,
    wanted: &str,
    patience: &Patience,
) -> Result<Option<Repository>, GitError> {
    let mut found = Vec::new();
    if let Some(top) = parent.work_tree().map(|top| top.join(&module.path))
        && top.join(".git").exists()
    {
        // One that git does not trust, or cannot read, is no source; its address may be.
        found.extend(Repository::discover(&top).ok().flatten().filter(|inner| {
            fs_err::canonicalize(&top).is_ok_and(|top| inner.work_tree() == Some(top.as_path()))
        }));
    }
    let name = Path::new(&module.name);
    if name.components().all(|part| matches!(part, Component::Normal(_))) {
        for git_dir in parent.in_git_dirs(&Path::new("modules").join(name)) {
            if git_dir.is_dir() {
                found.extend(Repository::of_git_dir(&git_dir, patience)?);
            }
        }
    }
    let object = format!("{wanted}^{{commit}}");
    for mut repository in found {
        repository.patience = patience.clone();
        if repository.git().args(["cat-file", "-e", &object]).output()?.is_success {
            return Ok(Some(repository));
        }
    }
    Ok(None)
}

/// Fetches one commit, or everything where a server does not give single ones.
fn fetch(
    place: &Path,
    module: &Declared,
    url: &str,
    wanted: &str,
    patience: &Patience,
) -> Result<(), GitError> {
    // Asked for by address, so git's own rule for transports holds: local ones are allowed here though not in
    // `git submodule`, unless the user forbids them.
    let git = || Git::at(place, patience).no_higher();
    let quiet = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
    let single = git().args(quiet).args(["--depth", "1", "--", url, wanted]).output()?;
    if single.is_success {
        return Ok(());
    }
    let everything = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"];
    let all = git().args(quiet).args(["--", url]).args(everything).output()?;
    let object = format!("{wanted}^{{commit}}");
    if git().args(["cat-file", "-e", &object]).output()?.is_success {
        return Ok(());
    }
    let stderr = if all.is_success { single.stderr } else { all.stderr };
    Err(failed(module, wanted, url, &stderr))
}

fn failed(module: &Declared, wanted: &str, url: &str, detail: &str) -> GitError {
    let shown = crate::suite::redact_url(url);
    GitError::Submodule {
        path: module.path.clone(),
        commit: wanted.to_owned(),
        // Git itself repeats the address that it was given.
        detail: one_line(&detail.replace(url, &shown)),
        url: shown,
    }
}

/// An address that begins with `./` or `../` continues that of the parent.
fn resolve_url(parent: Option<&str>, url: &str) -> String {
    let Some(parent) = parent.filter(|_| url.starts_with("./") || url.starts_with("../")) else {
        return url.to_owned();
    };
    let (mut base, mut rest) = (parent.trim_end_matches('/'), url);
    loop {
        if let Some(after) = rest.strip_prefix("../") {
            // The part after the host of `host:path` ends at a colon.
            base = base.rfind('/').or_else(|| base.rfind(':')).map_or(base, |cut| &base[..cut]);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else {
            let joint = if parent[base.len()..].starts_with(':') { ':' } else { '/' };
            return format!("{base}{joint}{rest}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_addresses_continue_the_parents() {
        for (parent, url, resolved) in [
            (Some("https://h/o/app.git"), "../lib.git", "https://h/o/lib.git"),
            (Some("https://h/o/app.git/"), "../../x/lib.git", "https://h/x/lib.git"),
            (Some("git@h:o/app.git"), "../lib.git", "git@h:o/lib.git"),
            (Some("git@h:app.git"), "../lib.git", "git@h:lib.git"),
            (Some("/srv/app"), "./lib", "/srv/app/lib"),
            (Some("/srv/app"), "https://h/lib", "https://h/lib"),
            (None, "../lib", "../lib"),
        ] {
            assert_eq!(resolve_url(parent, url), resolved);
        }
    }
}
