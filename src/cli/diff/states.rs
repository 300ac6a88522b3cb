//! The two states that `flow diff` compares.

use std::sync::Arc;
use std::time::SystemTime;

use crate::cli::args::Diff;
use crate::cli::history::no_history;
use crate::cli::invocation::Invocation;
use crate::daemon;
use crate::error::{Error, Result};
use crate::files::Files;
use crate::git::revision::{Revision, merge_base, named, short};
use crate::model::time;
use crate::project::{History, Project, Source};
use crate::revision::{self, Contents, Part, Tree, git_error};
use crate::store::Snapshot;
use crate::store::plan_changes::{self, PlanChanges};

/// The sources that contain the plan.
const PLAN: [Source; 2] = [Source::Status, Source::Tasks];

/// The name of the files as they are.
const NOW: &str = "the current files";

/// A state of the plan.
#[derive(Debug)]
pub(super) struct State {
    pub(super) snapshot: Arc<Snapshot>,
    /// Its commit; `None` for the current files.
    pub(super) commit: Option<Revision>,
    /// How people call it.
    pub(super) name: String,
}

/// The two states.
#[derive(Debug)]
pub(super) struct States {
    pub(super) from: State,
    pub(super) to: State,
    /// The sources whose file is only in the later one, so that all of its records would be new.
    pub(super) left_out: Vec<Source>,
    project: Project,
    /// The words of the command line that name the states, for messages.
    pub(super) words: String,
    /// Whether there was no earlier comparison to begin from.
    pub(super) is_first: bool,
    /// The branch that was named, if it has all commits of `HEAD` and more: its own changes are not compared.
    ahead: Option<String>,
}

impl States {
    /// Reads the states that a command line names.
    ///
    /// # Errors
    /// When a word names no commit, git fails, or the project is in no repository.
    pub(super) fn of(invocation: &Invocation, asked: &Diff) -> Result<Self> {
        let project = invocation.project()?;
        if asked.since_last {
            return Self::since_last(project);
        }
        let folder = project.state_root().to_path_buf();
        let now = time::format(SystemTime::now());
        let commit = |word: String| match named(&folder, &word, &now) {
            Ok(revision) => Ok(Commit { revision, name: word }),
            Err(fault) => Err(git_error(&fault)),
        };
        let base = |one: Commit, other: &Commit| {
            let revision = merge_base(&folder, &one.revision, &other.revision);
            Ok::<_, Error>(Commit { revision: revision.map_err(|fault| git_error(&fault))?, ..one })
        };
        let mut ahead = None;
        let (from, to) = match Words::of(asked) {
            Words::Head => (commit("HEAD".to_owned())?, None),
            Words::Since(word) => {
                let (named, head) = (commit(word)?, commit("HEAD".to_owned())?);
                let id = named.revision.id.clone();
                let from = base(named, &head)?;
                let is_ahead = from.revision.id == head.revision.id && id != head.revision.id;
                ahead = is_ahead.then(|| from.name.clone());
                (from, None)
            }
            Words::Between(one, two) => (commit(one)?, Some(commit(two)?)),
            Words::Branch(one, two) => {
                let to = commit(two)?;
                (base(commit(one)?, &to)?, Some(to))
            }
        };
        let words = [asked.from.as_deref(), asked.to.as_deref()];
        let words = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
        Ok(Self { ahead, ..Self::read(project, from, to, words)? })
    }

    /// The plan of the last such comparison, and the current files, whose plan is kept for the next one. While a file cannot be
    /// read, the former one stays.
    fn since_last(project: Project) -> Result<Self> {
        if project.history() == History::Off {
            return Err(no_history());
        }
        let kept = daemon::make_kept(&project)?;
        let snapshot = Files::read_at_rest(&project).snapshot();
        let now = SystemTime::now();
        let earlier = kept.compared();
        let is_first = earlier.is_none();
        let (before, at) = match earlier {
            Some((plan, at)) => (Arc::new(plan), at),
            None => (Arc::clone(&snapshot), now),
        };
        let (unread, _) = plan_changes::unread(&before, &snapshot);
        if unread.is_empty() {
            kept.replace_compared(&snapshot, now)?;
        }
        let name = if is_first {
            "now".to_owned()
        } else {
            format!("your last comparison, {}", time::format(at))
        };
        let from = State { snapshot: before, commit: None, name };
        let to = State { snapshot, commit: None, name: NOW.to_owned() };
        let words = "--since-last".to_owned();
        Ok(Self { from, to, left_out: Vec::new(), project, words, is_first, ahead: None })
    }

    fn read(project: Project, from: Commit, to: Option<Commit>, words: String) -> Result<Self> {
        let before = Tree::read(&project, &from.revision, Part::Plan)?;
        let after =
            to.as_ref().map(|to| Tree::read(&project, &to.revision, Part::Plan)).transpose()?;
        let exists = |source| match &after {
            Some(tree) => tree.has(source),
            None => project.has_file(source),
        };
        let is_new = |source: &Source| exists(*source) && !before.has(*source);
        let left_out: Vec<Source> = PLAN.into_iter().filter(is_new).collect();
        // The same formats are read in both.
        let has_files = before.has_files() && Source::ALL.into_iter().any(exists);
        let read_as = project.clone().with_files(has_files);
        let mut contents = Contents::default();
        let from = State {
            snapshot: revision::read(&read_as, &Arc::new(before), &mut contents)?.snapshot(),
            commit: Some(from.revision),
            name: from.name,
        };
        let to = match (after, to) {
            (Some(tree), Some(to)) => State {
                snapshot: revision::read(&read_as, &Arc::new(tree), &mut contents)?.snapshot(),
                commit: Some(to.revision),
                name: to.name,
            },
            _ => State {
                snapshot: Files::read_at_rest(&read_as).snapshot(),
                commit: None,
                name: NOW.to_owned(),
            },
        };
        Ok(Self { from, to, left_out, project, words, is_first: false, ahead: None })
    }

    /// What the two states are: `origin/main (0123456789) and the current files`.
    pub(super) fn names(&self) -> String {
        format!("{} and {}", self.from.shown(), self.to.shown())
    }

    /// Whether something was not compared.
    pub(super) fn is_partial(&self, found: &PlanChanges) -> bool {
        !self.left_out.is_empty() || !found.not_compared.is_empty()
    }

    /// What people should know of what was compared.
    pub(super) fn notes(&self) -> Vec<String> {
        let note = |source: &Source| {
            let file = self.project.file(*source).display();
            format!("{file} is not compared: git does not have it in {}", self.from.shown())
        };
        let first = "this is the first comparison: the next flow diff --since-last shows what changed from now on";
        let first = self.is_first.then(|| first.to_owned());
        let ahead = self.ahead.as_ref().map(|name| {
            format!("{name} is ahead of HEAD; its changes are not compared, for these: flow diff HEAD {name}")
        });
        self.left_out.iter().map(note).chain(first).chain(ahead).collect()
    }

    /// The files that are left out.
    pub(super) fn files_left_out(&self) -> Vec<String> {
        self.left_out
            .iter()
            .map(|source| self.project.file(*source).display().to_string())
            .collect()
    }
}

impl State {
    pub(super) fn shown(&self) -> String {
        match &self.commit {
            Some(commit) if !commit.id.starts_with(&self.name) => {
                format!("{} ({})", self.name, short(&commit.id))
            }
            Some(commit) => short(&commit.id).to_owned(),
            None => self.name.clone(),
        }
    }
}

/// A commit, and the word that asked for it.
struct Commit {
    revision: Revision,
    name: String,
}

/// What the words of the command line ask for.
#[derive(Debug, PartialEq, Eq)]
enum Words {
    /// From `HEAD` to the current files.
    Head,
    /// From where a commit and `HEAD` parted to the current files.
    Since(String),
    /// From a commit to another.
    Between(String, String),
    /// From where two commits parted to the second.
    Branch(String, String),
}

impl Words {
    fn of(asked: &Diff) -> Self {
        // A place that is left empty is HEAD, as in git.
        let or_head = |word: &str| if word.is_empty() { "HEAD" } else { word }.to_owned();
        match (asked.from.as_deref(), asked.to.as_deref()) {
            (None, _) => Self::Head,
            (Some(one), Some(two)) => Self::Between(one.to_owned(), two.to_owned()),
            (Some(word), None) => match (word.split_once("..."), word.split_once("..")) {
                (Some((one, two)), _) => Self::Branch(or_head(one), or_head(two)),
                (None, Some((one, two))) => Self::Between(or_head(one), or_head(two)),
                (None, None) => Self::Since(word.to_owned()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_git() {
        let words = |from: &str| {
            let from = Some(from.to_owned()).filter(|from| !from.is_empty());
            Words::of(&Diff { from, ..Diff::default() })
        };
        let text = str::to_owned;
        assert_eq!(words(""), Words::Head);
        assert_eq!(words("origin/main"), Words::Since(text("origin/main")));
        assert_eq!(words("a..b"), Words::Between(text("a"), text("b")));
        assert_eq!(words("a.."), Words::Between(text("a"), text("HEAD")));
        assert_eq!(words("v1.0...b"), Words::Branch(text("v1.0"), text("b")));
    }
}
