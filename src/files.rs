//! The state at one moment: a project's files read once, those of the demo project which the program brings along, or what
//! a store that follows the files has now.
//!
//! It answers with the same code as the HTTP server, so both give the same bytes.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use crate::daemon;
use crate::error::Result;
use crate::git::revision::Revision;
use crate::history::Kept;
use crate::model::time::{self, Edge};
use crate::project::Project;
use crate::revision::{self, Contents, Part, Tree};
use crate::routes;
use crate::skill::project_state::state::{Answers, State as SkillState};
use crate::skill::runtime::catalog;
use crate::store::collection::Collection;
use crate::store::memory::MemoryDisk;
use crate::store::other_copies;
use crate::store::snapshot::State;
use crate::store::{Environment, Options, Reader, RealClock, Scope, Snapshot, Store};
use crate::web::{About, App};

/// How long to wait for files that are being written. A file that stays invalid for a second counts as invalid.
const REST: Duration = Duration::from_secs(2);
/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(20);

/// The state of files at one moment.
#[derive(Debug)]
pub struct Files {
    app: App,
    /// What is kept of the changes of the project.
    kept: Option<Kept>,
    /// The same state with these changes, which are read at the first request for them.
    with_changes: OnceLock<App>,
}

impl Files {
    /// The current state of a project's files.
    pub fn read(project: &Project) -> Self {
        let files = Self::through(project, Environment::default());
        Self { kept: daemon::kept(project), ..files }
    }

    /// The same, after waiting for files that are being written: an invalid file counts as being written until it has
    /// been invalid for a second.
    pub fn read_at_rest(project: &Project) -> Self {
        let files = Self::read(project);
        if !files.is_changing() {
            return files;
        }
        let options = Options { scope: Scope::Nothing, ..Options::default() };
        let Ok(store) = Store::open(project, &options) else { return files };
        let reader = store.reader();
        let deadline = Instant::now() + REST;
        let files = Self { app: App { reader, about: files.app.about }, ..files };
        while files.is_changing() && Instant::now() < deadline {
            thread::sleep(PAUSE);
        }
        store.stop();
        files
    }

    /// A project's files as they are in a commit, with the project's settings of now. A file that the commit does not have is
    /// missing.
    ///
    /// # Errors
    /// When git fails.
    pub(crate) fn at(project: &Project, commit: &Revision) -> Result<Self> {
        let tree = Tree::read(project, commit, Part::All)?;
        let then = project.clone().with_files(tree.has_files());
        let reader = revision::read(&then, &Arc::new(tree), &mut Contents::default())?;
        Ok(Self::of(reader, about(project)))
    }

    /// The demo project's files, for the examples of skills.
    pub fn demo() -> Self {
        let root = Path::new("/demo");
        let files = catalog::DEMO.iter().map(|(path, text)| (root.join(path), *text)).collect();
        let written = time::parse(catalog::DEMO_WRITTEN, Edge::Start).unwrap_or_default();
        let disk = Box::new(MemoryDisk::new(files, written));
        let environment =
            Environment { disk: Some(disk), clock: Box::new(RealClock), ..Environment::default() };
        Self::through(&Project::plain(root.to_owned()), environment)
    }

    /// What a reader sees, at one moment.
    pub(crate) fn seen_by(reader: &Reader, about: About) -> Self {
        Self::of(reader.frozen(), about)
    }

    /// The state that they hold.
    pub fn state(self) -> SkillState {
        SkillState::of(Rc::new(self))
    }

    /// The snapshot that was read.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.app.reader.snapshot()
    }

    /// Whether changes of the project are kept.
    pub(crate) fn has_changes(&self) -> bool {
        self.kept.is_some()
    }

    /// Whether some file is not whole yet.
    pub(crate) fn is_changing(&self) -> bool {
        let snapshot = self.snapshot();
        let plans = snapshot.plans.formats.iter().map(|format| &format.health);
        snapshot.health.iter().chain(plans).any(|health| health.state == State::Changing)
    }

    fn through(project: &Project, environment: Environment) -> Self {
        Self::of(Store::read_once(project, environment), about(project))
    }

    fn of(reader: Reader, about: About) -> Self {
        Self { app: App { reader, about }, kept: None, with_changes: OnceLock::new() }
    }

    /// The state with the changes that are kept.
    fn with_changes(&self, kept: &Kept) -> &App {
        self.with_changes.get_or_init(|| {
            // Without a history that can be read, no changes are known.
            let reader = kept.added_to(&self.app.reader);
            let reader = reader.unwrap_or_else(|_| self.app.reader.clone());
            App { reader, about: self.app.about.clone() }
        })
    }
}

/// The ids that the records of a collection have in the repository's other worktrees.
pub(crate) fn ids_elsewhere(project: &Project, collection: &str) -> Vec<String> {
    Collection::of(collection)
        .map(|one| other_copies::ids_elsewhere(project, one))
        .unwrap_or_default()
}

fn about(project: &Project) -> About {
    let name = project.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    About { served_from: project.served_from(), ..About::new(name) }
}

impl Answers for Files {
    fn get(&self, target: &str) -> std::result::Result<(u16, String), String> {
        let app = match &self.kept {
            Some(kept) if routes::follows_from_changes(target) => self.with_changes(kept),
            _ => &self.app,
        };
        let (status, body) = app.get(target);
        String::from_utf8(body.into()).map(|body| (status, body)).map_err(|error| error.to_string())
    }
}
