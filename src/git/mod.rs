//! Sides from git revisions: which commit a name means, what is uncommitted, and a checkout of it elsewhere.
//!
//! All of it runs the `git` of the machine and waits for it. The user's repository is only read: no worktree,
//! ref, object, lock or line of configuration is added to it, so there is nothing to undo when a run is cut. A
//! checkout is a repository of its own in the cache that borrows the user's objects (`objects/info/alternates`).
//! `git worktree add` would leave its records in the user's `.git`, and a build in such a worktree shares the
//! user's configuration: an `npm ci` that sets `core.hooksPath` would change the hooks of every branch.

mod build;
mod cache;
mod checkout;
mod command;
mod error;
mod repository;
mod resolve;
mod state;
mod submodules;
mod target;
mod tree;

pub use cache::{Checkout, default_cache_dir};
pub use error::GitError;
pub use repository::{Repository, Revision};
pub use target::CiTarget;
