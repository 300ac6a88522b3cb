//! The plans of other tools in a snapshot: where each record begins, what is not read as it is, and the health of each
//! format.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use flow_plans::{FORMATS, Kind};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::model::problem::KEPT;
use crate::model::synonyms::Synonyms;

use super::collection::Collection;
use super::source_state::{Health, Stamp, State};

/// What the formats of a project contribute to a snapshot.
#[derive(Debug, Clone, Default)]
pub struct Plans {
    /// Identifies what is served of all formats.
    pub stamp: Stamp,
    /// The formats that are read, with the health of their files.
    pub formats: Vec<FormatHealth>,
    /// What was skipped or repaired, or is suspicious, or cannot be read; at most [`KEPT`], first what cannot be read.
    pub problems: Vec<PlanProblem>,
    /// Whether files that existed at the start are still to be read.
    pub is_incomplete: bool,
    /// The formats that are in the project and are not read.
    pub beside: Vec<&'static str>,
    /// The formats that are read only because none of the four files existed at the start.
    pub alone: Vec<&'static str>,
    /// Where each epic, story and task begins, by its id.
    pub(super) origins: [HashMap<Box<str>, Origin>; 3],
    /// The ids of epics, stories and tasks that were moved to where they are not served, in lower case: they are names of files.
    pub(super) retired: [HashSet<Box<str>>; 3],
    /// The paths of all files.
    pub(super) paths: Vec<Arc<str>>,
    /// What statuses mean in the records of each format.
    pub(super) synonyms: Arc<Synonyms>,
}

/// The files of one format.
#[derive(Debug, Clone, PartialEq)]
pub struct FormatHealth {
    /// The name of the format.
    pub name: &'static str,
    /// The state of its files, and what they contain. The path is the folder that all of them are in, or a file's.
    pub health: Arc<Health>,
    /// Number of files that are read.
    pub files: usize,
    /// Number of files that are none of the format's in spite of their paths.
    pub foreign: usize,
    /// Number of files and folders that are left out because there are too many.
    pub left_out: usize,
    /// Number of reports that records may not be read as meant.
    pub suspicious: u64,
    /// When the files were last written, if they are an export.
    pub exported_at: Option<SystemTime>,
    /// Whether its epics, stories and tasks state what they depend on.
    pub(super) states_dependencies: [bool; 3],
}

/// A fault in a file of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanProblem {
    /// The name of the format.
    pub format: &'static str,
    /// The path of the file, relative to the root.
    pub file: Arc<str>,
    /// The line, from 1, if it applies to one.
    pub line: Option<u64>,
    /// `invalid` for a file that is not served as it is, else the name of the effect.
    pub level: &'static str,
    /// The reason, as a phrase.
    pub reason: String,
}

impl FormatHealth {
    /// A format of which nothing else is known.
    pub fn named(name: &'static str) -> Self {
        Self {
            name,
            health: Arc::default(),
            files: 0,
            foreign: 0,
            left_out: 0,
            suspicious: 0,
            exported_at: None,
            states_dependencies: [true; 3],
        }
    }
}

impl PlanProblem {
    /// Whether it is about a file that is not served as it is.
    pub fn is_invalid(&self) -> bool {
        self.level == INVALID
    }
}

/// The level of a problem of a whole file.
pub(super) const INVALID: &str = "invalid";

/// The level of what affects no record.
pub const NOTE: &str = "note";

/// Where a record begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The name of the format.
    pub format: &'static str,
    /// The path of the file, relative to the root.
    pub file: &'a str,
    /// The line, from 1.
    pub line: u64,
}

/// A [`Place`] as it is kept: the numbers of the format and of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) format: u32,
    pub(super) path: u32,
    pub(super) line: u32,
}

impl Plans {
    /// Where a record of a format begins; `None` for other records.
    pub fn origin(&self, collection: Collection, id: &str) -> Option<Place<'_>> {
        let origin = self.origins.get(index(collection)?)?.get(id)?;
        let file = self.paths.get(origin.path as usize)?;
        let format = self.formats.get(origin.format as usize)?.name;
        Some(Place { format, file, line: origin.line.into() })
    }

    /// No format is read; these are present.
    pub fn only_beside(beside: Vec<&'static str>) -> Self {
        Self { beside, ..Self::default() }
    }

    /// The same formats without their records.
    pub fn none_of(plans: &Self) -> Self {
        let without = |format: &FormatHealth| {
            let Health { state, path, .. } = format.health.as_ref();
            let health = Health { state: *state, path: path.clone(), ..Health::default() };
            FormatHealth { health: Arc::new(health), ..format.clone() }
        };
        Self {
            formats: plans.formats.iter().map(without).collect(),
            beside: plans.beside.clone(),
            alone: plans.alone.clone(),
            paths: plans.paths.clone(),
            ..Self::default()
        }
    }

    /// Says of every format that its files are not served as they are, for a reason that holds for all of them together.
    pub fn refuse(&mut self, reason: &str) {
        for format in &mut self.formats {
            let health = Arc::make_mut(&mut format.health);
            health.state = State::TooLarge;
            health.last_error = Some(reason.to_owned());
            let file = Arc::from(health.path.as_str());
            let (line, level, reason) = (None, INVALID, reason.to_owned());
            let problem = PlanProblem { format: format.name, file, line, level, reason };
            self.problems.retain(|one| *one != problem);
            self.problems.insert(0, problem);
        }
        self.problems.truncate(KEPT);
        // Answers that do not change while this holds are other than those before.
        self.stamp.hash = xxh3_64_with_seed(reason.as_bytes(), self.stamp.hash);
    }

    /// The id that a record had before its file was moved as the tool of its format moves it, if it may have been.
    pub fn former_id(&self, collection: Collection, id: &str) -> Option<String> {
        let Place { format: name, .. } = self.origin(collection, id)?;
        let format = FORMATS.iter().find(|format| format.name() == name)?;
        let kind = *KINDS.get(index(collection)?)?;
        let local = id.strip_prefix(name).and_then(|rest| rest.strip_prefix(':'));
        match local {
            Some(local) => Some(format!("{name}:{}", format.former_id(kind, local)?)),
            None => format.former_id(kind, id).map(str::to_owned),
        }
    }

    /// Whether a record is no longer served because its file was archived.
    pub fn is_retired(&self, collection: Collection, id: &str) -> bool {
        index(collection)
            .and_then(|at| self.retired.get(at))
            .is_some_and(|ids| ids.contains(id.to_lowercase().as_str()))
    }

    /// The paths of the files of these formats that have records.
    pub fn files_of(&self, formats: &[&str]) -> HashSet<&str> {
        let numbers: HashSet<usize> = self
            .formats
            .iter()
            .enumerate()
            .filter(|(_, format)| formats.contains(&format.name))
            .map(|(number, _)| number)
            .collect();
        let origins = self.origins.iter().flat_map(HashMap::values);
        let of_these = origins.filter(|origin| numbers.contains(&(origin.format as usize)));
        of_these.filter_map(|origin| Some(self.paths.get(origin.path as usize)?.as_ref())).collect()
    }

    /// The names of the formats that are read.
    pub fn names(&self) -> Vec<&'static str> {
        self.formats.iter().map(|format| format.name).collect()
    }

    /// Whether it is unknown what a record depends on that names no dependency: its format states none.
    pub fn is_order_unknown(&self, kind: Kind, id: &str) -> bool {
        let states = || {
            let at = KINDS.iter().position(|one| *one == kind)?;
            let origin = self.origins.get(at)?.get(id)?;
            self.formats.get(origin.format as usize)?.states_dependencies.get(at)
        };
        states().is_some_and(|states| !states)
    }

    /// Total size of the files that are served, in bytes.
    pub fn bytes(&self) -> u64 {
        self.formats.iter().map(|format| format.health.bytes).sum()
    }
}

/// The kinds of record that formats have, in the order of their lists.
pub(super) const KINDS: [Kind; 3] = [Kind::Epic, Kind::Story, Kind::Task];

fn index(collection: Collection) -> Option<usize> {
    match collection {
        Collection::Epics => Some(0),
        Collection::Stories => Some(1),
        Collection::Tasks => Some(2),
        Collection::Sessions => None,
    }
}
