//! The plan of a snapshot in a form that can be stored, and read again as a snapshot: the texts of its documents, unchanged, so
//! that a record that did not change is recognised by its hash, and where the records of formats begin.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use flow_plans::FORMATS;
use serde::{Deserialize, Serialize};

use crate::model::fault::Fault;
use crate::model::record::Kind;
use crate::model::synonyms::Synonyms;
use crate::project::Source;

use super::joined_text::JoinedText;
use super::plans::{FormatHealth, Origin, Plans};
use super::records::Records;
use super::snapshot::{Registry, Snapshot, Stamp, State, Status};
use super::source_state::Health;

/// The id of a record, the number of its format, and its line.
type Located = (String, u32, u32);
/// The records of formats by the numbers of their files.
type ByFile = BTreeMap<u32, Vec<Located>>;

/// The plan of a snapshot.
#[derive(Debug)]
pub struct SavedPlan {
    /// What is known besides the texts.
    pub facts: Facts,
    /// The texts of stories and epics, of tasks, and of sessions.
    pub texts: [Bytes; 3],
}

/// What is known besides the texts.
#[derive(Debug, Serialize, Deserialize)]
pub struct Facts {
    /// The path of each source, in the order of [`Source::ALL`].
    paths: [String; 4],
    /// The sources of which no content has been read.
    unread: [bool; 4],
    /// Whether some files of formats have not been read.
    is_incomplete: bool,
    /// Where the text of the formats begins in the first two texts.
    plans_at: [usize; 2],
    /// The names of the formats.
    formats: Vec<String>,
    /// Those that were present and not read.
    #[serde(default)]
    beside: Vec<String>,
    /// The paths of their files.
    files: Vec<String>,
    /// For each file, the ids of its epics, stories and tasks, each with the number of its format and its line.
    origins: [ByFile; 3],
    /// Words of a format, and their meaning: `[noun, format, word, meaning]`.
    synonyms: Vec<[String; 4]>,
}

impl SavedPlan {
    /// The plan of a snapshot.
    pub fn of(snapshot: &Snapshot) -> Self {
        let Snapshot { status, tasks, sessions, plans, health, .. } = snapshot;
        let origins = plans.origins.each_ref().map(|origins| {
            let mut by_file: ByFile = BTreeMap::new();
            for (id, Origin { format, path, line }) in origins {
                by_file.entry(*path).or_default().push((id.to_string(), *format, *line));
            }
            by_file
        });
        let facts = Facts {
            unread: snapshot.history.unread,
            is_incomplete: plans.is_incomplete,
            paths: health.each_ref().map(|health| health.path.clone()),
            plans_at: [status.stories.plans_at, tasks.records.plans_at],
            formats: plans.formats.iter().map(|format| format.name.to_owned()).collect(),
            beside: plans.beside.iter().map(|name| (*name).to_owned()).collect(),
            files: plans.paths.iter().map(|path| path.as_ref().to_owned()).collect(),
            origins,
            synonyms: plans.synonyms.all(),
        };
        let text = |records: &Records| records.document.clone();
        let texts = [text(&status.stories), text(&tasks.records), text(&sessions.records)];
        Self { facts, texts }
    }

    /// A snapshot with this plan.
    ///
    /// # Errors
    /// Why a text is not a document of its kind.
    pub fn snapshot(self, at: SystemTime, most: usize) -> Result<Snapshot, Fault> {
        let Facts { paths, plans_at, formats, beside, .. } = self.facts;
        let Facts { files, origins, synonyms, unread, is_incomplete, .. } = self.facts;
        let synonyms = Arc::new(Synonyms::of(synonyms));
        let [status, tasks, sessions] = self.texts;
        let mut snapshot = Snapshot::empty();
        snapshot.history.started = Some(at);
        snapshot.history.unread = unread;
        let stamp = Stamp { hash: 1, modified: None };
        let joined = |text: &Bytes, plans_at: usize| JoinedText {
            text: text.clone(),
            plans_at: plans_at.min(text.len()),
            synonyms: Arc::clone(&synonyms),
        };
        if !status.is_empty() {
            snapshot.status = Arc::new(Status::read(&joined(&status, plans_at[0]), stamp, most)?);
        }
        if !tasks.is_empty() {
            let read = Registry::read(Kind::Task, &joined(&tasks, plans_at[1]), stamp, most)?;
            snapshot.tasks = Arc::new(read);
        }
        if !sessions.is_empty() {
            let text = JoinedText::of_file(&sessions);
            snapshot.sessions = Arc::new(Registry::read(Kind::Session, &text, stamp, most)?);
        }
        for (source, path) in Source::ALL.into_iter().zip(paths) {
            let health = Health { path, state: State::Present, ..Health::default() };
            snapshot.health[source.index()] = Arc::new(health);
        }
        snapshot.plans = Arc::new(Plans {
            formats: formats.iter().map(|name| FormatHealth::named(known_name(name))).collect(),
            beside: beside.iter().map(|name| known_name(name)).collect(),
            paths: files.into_iter().map(Arc::from).collect(),
            origins: origins.map(|by_file| {
                let of_file = |(path, records): (u32, Vec<Located>)| {
                    records.into_iter().map(move |(id, format, line)| {
                        (id.into_boxed_str(), Origin { format, path, line })
                    })
                };
                by_file.into_iter().flat_map(of_file).collect::<HashMap<_, _>>()
            }),
            synonyms,
            is_incomplete,
            ..Plans::default()
        });
        Ok(snapshot)
    }
}

/// The name of a format; empty for one that this version does not have.
fn known_name(name: &str) -> &'static str {
    let mut names = FORMATS.iter().map(|format| format.name());
    names.find(|known| *known == name).unwrap_or_default()
}
