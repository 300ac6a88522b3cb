//! The state at one moment: four shared parts, one per file, and the health of each file. Immutable.
//!
//! A change replaces one part; the others are shared with the previous snapshot.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;

use flow_files::restrict::Restriction;

use crate::model::document::{self, Document, Records as InDocument};
use crate::model::fault::Fault;
use crate::model::problem::{Position, Problem, Problems};
use crate::model::record::{COMPLETED, Kind};
use crate::project::Source;

use super::across::{Across, misspelled};
use super::answers::Answers;
use super::collection::Collection;
use super::history::History;
use super::joined_text::JoinedText;
use super::log::Log;
use super::memo::Memo;
use super::plans::{FormatHealth, Place, Plans};
use super::prepared::{Cell, InFlight, OverviewBodies, StatusBodies};
use super::records::Records;
pub use super::source_state::{Health, Stamp, State};
use super::tail::Reading;
use super::terms::Terms;
use super::worktrees::Worktrees;

/// The progress of an epic: the number of stories that name it, and of those that are completed.
#[derive(Clone, Copy, Default)]
struct Progress {
    total: usize,
    completed: usize,
}

/// The content of status.json.
#[derive(Debug)]
pub struct Status {
    /// Identifies the content.
    pub stamp: Stamp,
    /// The bytes of the file without a byte order mark; `None` if there is no file.
    pub text: Option<Bytes>,
    /// Number of answers with these bytes that are being sent.
    pub in_flight: InFlight,
    /// The stories.
    pub stories: Records,
    /// The epics, the undeclared ones last.
    pub epics: Records,
    /// Number of epics that are declared.
    pub declared: usize,
    /// What was skipped or repaired.
    pub problems: Problems,
    /// The bodies of its two lists.
    pub prepared: StatusBodies,
    /// The cached answers to queries about them.
    pub answers: Answers,
}

/// The session or the task registry.
#[derive(Debug)]
pub struct Registry {
    /// Identifies the content.
    pub stamp: Stamp,
    /// The records.
    pub records: Records,
    /// What was skipped or repaired.
    pub problems: Problems,
    /// The body of the list.
    pub prepared: Cell,
    /// The cached answers to queries about it.
    pub answers: Answers,
}

/// The message log.
#[derive(Debug, Default)]
pub struct Bus {
    /// Identifies the content.
    pub stamp: Stamp,
    /// The messages.
    pub log: Log,
    /// What was skipped.
    pub problems: Arc<Problems>,
    /// Size of the oldest part that is not served, in bytes.
    pub left_out: u64,
    /// The body of the first page.
    pub prepared: Cell,
    /// The cached answers to queries about the messages.
    pub answers: Answers,
    /// A value that a later layer computes from the messages.
    pub memo: Memo,
}

/// The state at one moment.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Number of snapshots published up to this one.
    pub generation: u64,
    /// How the files are watched.
    pub watcher: Watching,
    /// How much of what is outside of the project the kernel denies to the thread that opens the files.
    pub restriction: Restriction,
    /// The health of each source, in the order of [`Source::ALL`].
    pub health: [Arc<Health>; 4],
    /// The content of status.json.
    pub status: Arc<Status>,
    /// The sessions.
    pub sessions: Arc<Registry>,
    /// The tasks.
    pub tasks: Arc<Registry>,
    /// The messages.
    pub bus: Arc<Bus>,
    /// The plans of other tools; their records are those of [`Snapshot::status`] and [`Snapshot::tasks`].
    pub plans: Arc<Plans>,
    /// What the repository's other worktrees have.
    pub worktrees: Arc<Worktrees>,
    /// What is suspicious across files.
    pub across: Arc<Across>,
    /// The bodies of the resources over all parts.
    pub prepared: Arc<OverviewBodies>,
    /// The changes up to this snapshot.
    pub history: History,
    /// The body of the list of agents, which depends on all parts.
    pub agents: Arc<Cell>,
    /// A value that a later layer computes from the whole snapshot.
    pub memo: Arc<Memo>,
}

/// How changes are detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Watching {
    /// By events of the system; every file is polled too.
    Native,
    /// By polling alone.
    #[default]
    Poll,
}

impl Snapshot {
    /// Whether a file, given by its path relative to the root, was there when it was read last.
    pub fn reads(&self, file: &str) -> bool {
        let is_it = |health: &Health| health.path == file && health.state != State::Missing;
        self.health.iter().any(|health| is_it(health))
            || self.plans.paths.iter().any(|path| path.as_ref() == file)
    }

    /// The records of a collection.
    pub fn records(&self, collection: Collection) -> &Records {
        match collection {
            Collection::Stories => &self.status.stories,
            Collection::Epics => &self.status.epics,
            Collection::Tasks => &self.tasks.records,
            Collection::Sessions => &self.sessions.records,
        }
    }

    /// The state of a project of which nothing has been read.
    pub fn empty() -> Self {
        Self {
            generation: 0,
            watcher: Watching::Poll,
            restriction: Restriction::Missing,
            health: Default::default(),
            status: Arc::new(Status::missing()),
            sessions: Arc::new(Registry::missing(Kind::Session)),
            tasks: Arc::new(Registry::missing(Kind::Task)),
            bus: Arc::default(),
            plans: Arc::default(),
            worktrees: Arc::default(),
            across: Arc::default(),
            prepared: Arc::default(),
            history: History::new(),
            agents: Arc::default(),
            memo: Arc::default(),
        }
    }

    /// The stamp of a source's content.
    pub fn stamp(&self, source: Source) -> Stamp {
        match source {
            Source::Status => self.status.stamp,
            Source::Sessions => self.sessions.stamp,
            Source::Tasks => self.tasks.stamp,
            Source::Bus => self.bus.stamp,
        }
    }

    /// When the newest of these files was last written.
    pub fn modified(&self, sources: &[Source]) -> Option<SystemTime> {
        sources.iter().filter_map(|source| self.stamp(*source).modified).max()
    }

    /// The files that appeared beside a plan which is read only because there were none at the start.
    pub fn appeared(&self) -> impl Iterator<Item = Source> {
        let exists = |source: &Source| {
            let state = self.health[source.index()].state;
            !self.plans.alone.is_empty() && (state == State::Present || state.is_degraded())
        };
        Source::ALL.into_iter().filter(exists)
    }

    /// Number of reports that records of a source may not be read as meant, without those of formats.
    pub fn suspicious(&self, source: Source) -> u64 {
        let across = self.across(source).map_or(0, |problems| problems.suspicious);
        let all = self.problems(source).suspicious + across;
        if self.plans.formats.is_empty() {
            return all;
        }
        let suspicions = self.problems(source).suspicions();
        let planned = suspicions.filter(|problem| self.place_of(source, problem).is_some());
        all.saturating_sub(planned.count() as u64)
    }

    /// Number of reports that records of a format may not be read as meant.
    pub fn suspicious_of(&self, format: &FormatHealth) -> u64 {
        let of_source = |source: Source| {
            let suspicions = self.problems(source).suspicions();
            suspicions.filter_map(move |problem| self.place_of(source, problem))
        };
        let places = [Source::Status, Source::Tasks].into_iter().flat_map(of_source);
        let records = places.filter(|place| place.format == format.name).count() as u64;
        format.suspicious + records
    }

    /// Where the record of a problem begins, if it is one of a format.
    pub fn place_of(&self, source: Source, problem: &Problem) -> Option<Place<'_>> {
        let Position::Id(id) = &problem.place else { return None };
        let mut of_source = Collection::ALL.into_iter().filter(|one| one.source() == source);
        of_source.find_map(|collection| self.plan_place(collection, id))
    }

    /// Where a record begins, if it is one of a format that the project's own file does not contain too.
    pub fn plan_place(&self, collection: Collection, id: &str) -> Option<Place<'_>> {
        let records = self.records(collection);
        let is_in_file = records.position(id).is_some_and(|at| records.range(at).is_some());
        self.plans.origin(collection, id).filter(|_| !is_in_file)
    }

    /// The problems of a source that are kept: first what may not be read as meant, then what was skipped or repaired.
    pub fn kept_problems(&self, source: Source) -> impl Iterator<Item = &Problem> {
        let problems = self.problems(source);
        let across = self.across(source).into_iter().flat_map(Problems::suspicions);
        problems.suspicions().chain(across).chain(problems.others())
    }

    /// What is suspicious in a source across files.
    fn across(&self, source: Source) -> Option<&Problems> {
        match source {
            Source::Tasks => Some(&self.across.tasks),
            Source::Sessions => Some(&self.across.sessions),
            Source::Status | Source::Bus => None,
        }
    }

    /// What was skipped, repaired or is suspicious in a source.
    pub fn problems(&self, source: Source) -> &Problems {
        match source {
            Source::Status => &self.status.problems,
            Source::Sessions => &self.sessions.problems,
            Source::Tasks => &self.tasks.problems,
            Source::Bus => &self.bus.problems,
        }
    }
}

impl Status {
    /// The content while there is no file.
    pub fn missing() -> Self {
        Self {
            stamp: Stamp::default(),
            text: None,
            in_flight: InFlight::default(),
            stories: Records::none(Kind::Story),
            epics: Records::none(Kind::Epic),
            declared: 0,
            problems: Problems::default(),
            prepared: StatusBodies::default(),
            answers: Answers::default(),
        }
    }

    /// Reads a whole file, byte order mark removed, and what the formats add to it, with at most `most` records.
    ///
    /// # Errors
    /// Why it is not a status document.
    pub fn read(joined: &JoinedText, stamp: Stamp, most: usize) -> Result<Self, Fault> {
        let text = &joined.text;
        let Documents { file: mut document, plans } = Documents::read(joined, most)?;
        let mut stories = document.collection(Kind::Story)?;
        document.add_strays(&mut stories);
        let mut epics = document.collection(Kind::Epic)?;
        document.add_strays(&mut epics);
        document.add_nested(&epics, &mut stories)?;
        let read = [(Kind::Story, records_of(&stories)), (Kind::Epic, records_of(&epics))];
        document.note_unread(&read);
        if let Some(plans) = plans {
            plans.add_collection(&mut epics, &joined.synonyms)?;
            plans.add_collection(&mut stories, &joined.synonyms)?;
        }
        document.check_count(stories.entries.len() + epics.entries.len())?;
        let mut problems = std::mem::take(&mut document.problems);
        problems.append(std::mem::take(&mut epics.problems));
        problems.append(std::mem::take(&mut stories.problems));
        let (epic_collection, story_collection) = (epics, stories);
        let (stories, epics) =
            (Records::new(joined, &story_collection), Records::new(joined, &epic_collection));
        epics.note_suspicions(&epic_collection, &mut problems);
        stories.note_suspicions(&story_collection, &mut problems);
        stories.note_replaced(&mut problems);
        problems.append(misspelled(&epics, &stories, "epic_id"));
        let declared = epics.len();
        let epics = with_undeclared(epics, &stories);
        let progress: Vec<Progress> = epics.ids().map(|id| progress(&stories, id)).collect();
        let epics = epics.with_computed(|at| {
            let Progress { total, completed } = progress[at];
            let declared = at < declared;
            format!(
                "\"declared\":{declared},\"progress\":{{\"stories_total\":{total},\"stories_completed\":{completed}}}"
            )
        });
        let text = (joined.plans_at > 0).then(|| text.slice(..joined.plans_at));
        Ok(Self { stamp, text, stories, epics, declared, problems, ..Self::missing() })
    }
}

/// The document of a file, and that of the formats.
struct Documents<'a> {
    /// Without a file, an empty object.
    file: Document<'a>,
    plans: Option<Document<'a>>,
}

impl<'a> Documents<'a> {
    fn read(joined: &'a JoinedText, most: usize) -> Result<Self, Fault> {
        let (file, plans) = joined.text.split_at(joined.plans_at.min(joined.text.len()));
        let plans = match plans {
            [] => None,
            plans => Some(Document::read(utf8(plans)?, most)?),
        };
        let file = if plans.is_some() && file.is_empty() { "{}" } else { utf8(file)? };
        Ok(Self { file: Document::read(file, most)?, plans })
    }
}

fn records_of(collection: &document::Collection<'_>) -> InDocument {
    if collection.entries.is_empty() { InDocument::None } else { InDocument::Some }
}

/// The epics that only stories name, in the order of their first mention.
fn undeclared<'a>(epics: &'a Records, stories: &'a Records) -> impl Iterator<Item = &'a str> {
    let named = stories.terms("epic_id").into_iter().flat_map(Terms::values);
    named.filter(|id| epics.position(id).is_none())
}

/// The epics that are declared, then those that only stories name.
fn with_undeclared(epics: Records, stories: &Records) -> Records {
    let absent: Vec<String> = undeclared(&epics, stories).map(str::to_owned).collect();
    if absent.is_empty() { epics } else { epics.with_absent(absent) }
}

fn progress(stories: &Records, epic: &str) -> Progress {
    let Some(ours) = stories.terms("epic_id").and_then(|terms| terms.get(epic)) else {
        return Progress::default();
    };
    let positions = stories.positions(Some(ours));
    let completed = positions.iter().filter(|position| {
        let has = |status| stories.terms("status").and_then(|terms| terms.get(status));
        COMPLETED.iter().filter_map(|status| has(status)).any(|set| set.contains(**position))
    });
    Progress { total: positions.len(), completed: completed.count() }
}

impl Registry {
    /// The content while there is no file.
    pub fn missing(kind: Kind) -> Self {
        Self {
            stamp: Stamp::default(),
            records: Records::none(kind),
            problems: Problems::default(),
            prepared: Cell::new(),
            answers: Answers::default(),
        }
    }

    /// Reads a whole file, byte order mark removed, and what the formats add to it, with at most `most` records.
    ///
    /// # Errors
    /// Why it is not a registry.
    pub fn read(kind: Kind, joined: &JoinedText, stamp: Stamp, most: usize) -> Result<Self, Fault> {
        let Documents { file: mut document, plans } = Documents::read(joined, most)?;
        let mut found = document.collection(kind)?;
        if let Some(plans) = plans {
            plans.add_collection(&mut found, &joined.synonyms)?;
            document.check_count(found.entries.len())?;
        } else if !document.has(kind.collection()) {
            document.note_unread(&[(kind, InDocument::None)]);
        }
        let mut problems = std::mem::take(&mut document.problems);
        problems.append(std::mem::take(&mut found.problems));
        let mut records = Records::new(joined, &found);
        records.note_suspicions(&found, &mut problems);
        records.note_replaced(&mut problems);
        if kind == Kind::Session {
            records = with_active(records);
        }
        Ok(Self { stamp, records, problems, prepared: Cell::new(), answers: Answers::default() })
    }
}

/// Adds to each session whether it is active.
fn with_active(sessions: Records) -> Records {
    let active: Vec<bool> = {
        let set = sessions.terms("active").and_then(|terms| terms.get("true"));
        (0..super::postings::count_u32(sessions.len()))
            .map(|at| set.is_some_and(|set| set.contains(at)))
            .collect()
    };
    sessions.with_computed(|at| format!("\"active\":{}", active[at]))
}

impl Bus {
    /// The content of a reading.
    pub fn new(reading: Reading, modified: SystemTime) -> Self {
        Self {
            stamp: Stamp { hash: reading.hash, modified: Some(modified) },
            log: reading.log,
            problems: reading.problems,
            left_out: reading.left_out,
            prepared: Cell::new(),
            answers: Answers::default(),
            memo: Memo::default(),
        }
    }
}

fn utf8(text: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(text)
        .map_err(|error| Fault::Bad(format!("not UTF-8 at byte {}", error.valid_up_to() + 1)))
}

/// Number of stories that are completed.
pub fn completed(stories: &Records) -> usize {
    let Some(terms) = stories.terms("status") else { return 0 };
    COMPLETED
        .iter()
        .filter_map(|status| terms.get(status))
        .map(super::postings::Postings::len)
        .sum()
}
