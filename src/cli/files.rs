//! The state as it lies in files, read once: a project's, or that of the demo project which the program brings along.
//!
//! It answers with the code that answers HTTP, so both give the same bytes.

use std::path::Path;
use std::rc::Rc;

use crate::model::time::{self, Edge};
use crate::project::Project;
use crate::skill::project_state::state::{Answers, State};
use crate::skill::runtime::catalog;
use crate::store::memory::MemoryDisk;
use crate::store::{Environment, RealClock, Store};
use crate::web::{About, App};

/// The state of files.
#[derive(Debug)]
pub struct Files(App);

impl Files {
    /// A project's files as they are now.
    pub fn read(project: &Project) -> Self {
        Self::through(project, Environment::default())
    }

    /// The demo project's files, for the examples of skills.
    pub fn demo() -> Self {
        let root = Path::new("/demo");
        let files = catalog::DEMO.iter().map(|(path, text)| (root.join(path), *text)).collect();
        let written = time::parse(catalog::DEMO_WRITTEN, Edge::Start).unwrap_or_default();
        let disk = Box::new(MemoryDisk::new(files, written));
        let environment = Environment { disk, clock: Box::new(RealClock) };
        Self::through(&Project::plain(root.to_owned()), environment)
    }

    /// The state that they hold.
    pub fn state(self) -> State {
        State::of(Rc::new(self))
    }

    fn through(project: &Project, environment: Environment) -> Self {
        let name = project.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let about = About { served_from: project.served_from(), ..About::new(name) };
        Self(App { reader: Store::read_once(project, environment), about })
    }
}

impl Answers for Files {
    fn get(&self, target: &str) -> Result<(u16, String), String> {
        let (status, body) = self.0.get(target);
        String::from_utf8(body.into()).map(|body| (status, body)).map_err(|error| error.to_string())
    }
}
