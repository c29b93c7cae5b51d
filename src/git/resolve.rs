//! From a name to a commit, and what to do when the clone lacks it.

use super::{CiTarget, GitError, Repository};

/// The commit that git itself takes `name` for.
pub(super) fn commit_of(repository: &Repository, name: &str) -> Result<Option<String>, GitError> {
    let peeled = format!("{name}^{{commit}}");
    let told = repository.git().args(["rev-parse", "--verify", "--quiet", "--end-of-options", &peeled]);
    let told = told.output()?;
    Ok(told.is_success.then(|| told.text()))
}

/// A branch, tag, hash or expression; else a branch that only the remote has, as in the clones of a CI.
pub(super) fn named(repository: &Repository, name: &str) -> Result<String, GitError> {
    if name.is_empty() || name.starts_with('-') || name.contains(char::is_control) {
        return Err(unknown(repository, name, "this is no name of a revision".to_owned()));
    }
    if name == "HEAD" && commit_of(repository, name)?.is_none() {
        return Err(GitError::Unborn(repository.top().to_owned()));
    }
    if let Some(commit) = commit_of(repository, name)? {
        return Ok(commit);
    }
    let remote = repository.remote()?.unwrap_or_else(|| "origin".to_owned());
    if let Some(commit) = commit_of(repository, &format!("refs/remotes/{remote}/{name}"))? {
        return Ok(commit);
    }
    if repository.is_shallow() {
        return Err(GitError::Shallow {
            what: format!("the revision `{name}`"),
            repository: repository.top().to_owned(),
            command: mending(&remote, name),
        });
    }
    let hint = hint(repository, &remote, name)?;
    Err(unknown(repository, name, hint))
}

fn unknown(repository: &Repository, name: &str, hint: String) -> GitError {
    let revision = super::error::printable(name);
    GitError::UnknownRevision { revision, repository: repository.top().to_owned(), hint }
}

/// The one command after which `name` is known in a shallow clone.
fn mending(remote: &str, name: &str) -> String {
    let base = name.split(['~', '^', '@', ':']).next().unwrap_or(name);
    let is_hash = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match (is_hash(name), name.len()) {
        (true, 40 | 64) => format!("git fetch --depth 1 {remote} {name}"),
        // A server gives no commit by part of its hash.
        (true, 4..) => "git fetch --unshallow".to_owned(),
        _ if base == name => format!("git fetch --depth 1 {remote} {name}:refs/remotes/{remote}/{name}"),
        _ => "git fetch --unshallow".to_owned(),
    }
}

fn hint(repository: &Repository, remote: &str, name: &str) -> Result<String, GitError> {
    let object = repository.git().args(["cat-file", "-t", name]).output()?;
    if object.is_success {
        return Ok(format!("it is a {}, not a commit", object.text()));
    }
    let refs = ["refs/heads", "refs/tags", "refs/remotes"];
    let known = repository.git().args(["for-each-ref", "--format=%(refname:short)"]).args(refs).must()?;
    let known = known.text();
    let mut near: Vec<(f64, &str)> =
        known.lines().map(|other| (strsim::jaro_winkler(name, other), other)).collect();
    near.retain(|(likeness, _)| *likeness > 0.8);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<String> = near.iter().take(3).map(|(_, other)| format!("`{other}`")).collect();
    Ok(match (near.is_empty(), repository.remote()?) {
        (false, _) => format!("did you mean {}?", near.join(", ")),
        (true, Some(_)) => format!(
            "if the remote has it: `git fetch {remote} {name}:refs/remotes/{remote}/{name}`; `git branch -a` and `git tag` list what is here"
        ),
        (true, None) => "`git branch -a` and `git tag` list what is here".to_owned(),
    })
}

/// The best common ancestor of HEAD and the branch that the change is meant for.
pub(super) fn merge_base(repository: &Repository, ci: &CiTarget) -> Result<String, GitError> {
    let head = commit_of(repository, "HEAD")?;
    let head = head.ok_or_else(|| GitError::Unborn(repository.top().to_owned()))?;
    let remote = repository.remote()?.unwrap_or_else(|| "origin".to_owned());
    if let Some(commit) = &ci.commit {
        let found = if commit.starts_with('-') { None } else { commit_of(repository, commit)? };
        return found.ok_or_else(|| missing(repository, ci, commit, &format!("{remote} {commit}")));
    }
    let (target, refspec) = match &ci.branch {
        Some(branch) => {
            let refspec = format!("{remote} +refs/heads/{branch}:refs/remotes/{remote}/{branch}");
            let found = branch_tip(repository, &remote, branch)?;
            (found.ok_or_else(|| missing(repository, ci, branch, &refspec))?, refspec)
        }
        None => (default_branch(repository, &remote)?, remote.clone()),
    };
    let told = repository.git().args(["merge-base", &head, &target]).output()?;
    if told.is_success {
        return Ok(told.text());
    }
    if !told.stderr.is_empty() {
        return Err(told.failure());
    }
    let what = format!("the merge base of HEAD and {}", target_name(ci));
    let repository_path = repository.top().to_owned();
    Err(if repository.is_shallow() {
        let command = format!("git fetch --unshallow {refspec}");
        GitError::Shallow { what, repository: repository_path, command }
    } else {
        let hint = "their histories share no commit; name the baseline with --baseline-rev".to_owned();
        GitError::NoMergeBase { what, repository: repository_path, hint }
    })
}

fn target_name(ci: &CiTarget) -> String {
    match (ci.branch.as_ref().or(ci.commit.as_ref()), ci.variable) {
        (Some(name), Some(variable)) => format!("`{name}` ({variable})"),
        (Some(name), None) => format!("`{name}`"),
        (None, _) => "the default branch".to_owned(),
    }
}

/// What the CI compares with is not here.
fn missing(repository: &Repository, ci: &CiTarget, name: &str, refspec: &str) -> GitError {
    let (what, top) = (target_name(ci), repository.top().to_owned());
    if name.starts_with('-') || name.contains(|c: char| c.is_control() || c.is_whitespace()) {
        return unknown(repository, name, "this is no name of a revision".to_owned());
    }
    if repository.is_shallow() {
        // The whole history at once: the tip of the branch alone would leave the merge base unknown.
        return GitError::Shallow {
            what,
            repository: top,
            command: format!("git fetch --unshallow {refspec}"),
        };
    }
    GitError::NoMergeBase { what, repository: top, hint: format!("fetch it: `git fetch {refspec}`") }
}

/// The remote's branch before one of the same name here, which may be old.
fn branch_tip(repository: &Repository, remote: &str, branch: &str) -> Result<Option<String>, GitError> {
    for full in [format!("refs/remotes/{remote}/{branch}"), format!("refs/heads/{branch}")] {
        if let Some(commit) = commit_of(repository, &full)? {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}

/// What `origin/HEAD` names, else `main`, else `master`.
fn default_branch(repository: &Repository, remote: &str) -> Result<String, GitError> {
    for branch in ["HEAD", "main", "master"] {
        if let Some(commit) = branch_tip(repository, remote, branch)? {
            return Ok(commit);
        }
    }
    let what = "a default branch (`origin/HEAD`, `main` or `master`)".to_owned();
    let repository_path = repository.top().to_owned();
    Err(if repository.is_shallow() {
        // All branches: a clone of one branch does not know what the default one is called.
        let command = format!("git fetch --unshallow {remote} '+refs/heads/*:refs/remotes/{remote}/*'");
        GitError::Shallow { what, repository: repository_path, command }
    } else {
        let hint = "name the baseline with --baseline-rev".to_owned();
        GitError::NoMergeBase { what, repository: repository_path, hint }
    })
}
