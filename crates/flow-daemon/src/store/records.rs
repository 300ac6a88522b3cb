//! The records of one kind from a document: an index, their dependencies, and one rendered text.
//!
//! The rendered text is made once per change, at the first request that needs it.

use std::collections::HashSet;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::model::document::{Collection, Mention};
use crate::model::problem::{Effect, Position, Problems, Suspicions};
use crate::model::record::{Kind, Record};

use super::dependencies::Dependencies;
use super::index::Index;
use super::joined_text::JoinedText;
use super::line_index::{LineIndex, key_or_value};
use super::postings;
use super::prepared::InFlight;
use super::terms::{Builder, Terms};

/// What is reserved for the computed members of a record, in bytes; most have less.
const MOST_COMPUTED: usize = 64;

/// Records of one kind, accessed through their index.
#[derive(Debug)]
pub struct Records {
    index: Index,
    /// The members that are added to each record, as JSON without braces; empty if its kind has none.
    computed: Vec<Vec<u8>>,
    /// A hash of each record's id and text, to compare with another state of the file.
    hashes: Vec<u64>,
    /// Positions, ascending: of records that may name dependencies, and of those among them that have own members with
    /// the names of computed ones.
    mentions: [Vec<u32>; 2],
    /// The names of their members; `None` if there are too many to tell.
    member_names: Option<HashSet<Box<str>>>,
    dependencies: OnceLock<Dependencies>,
    rendered: OnceLock<Rendered>,
    lines: OnceLock<LineIndex>,
}

/// All records as they are served, with a comma after each but the last.
#[derive(Debug)]
struct Rendered {
    text: Bytes,
    /// Offset of the end of each record in the text.
    ends: Vec<usize>,
    /// Number of answers with a part of the text that are being sent.
    in_flight: InFlight,
}

impl Records {
    /// No records.
    pub fn none(kind: Kind) -> Self {
        Self {
            index: Index::none(kind),
            computed: Vec::new(),
            hashes: Vec::new(),
            mentions: Default::default(),
            member_names: Some(HashSet::new()),
            dependencies: OnceLock::new(),
            rendered: OnceLock::new(),
            lines: OnceLock::new(),
        }
    }

    /// Takes over a collection that was read from a file and the formats.
    pub fn new(joined: &JoinedText, collection: &Collection<'_>) -> Self {
        let document = &joined.text;
        let mut records = Self::none(collection.kind);
        records.index.document = document.clone();
        records.index.plans_at = joined.plans_at;
        records.index.places.reserve(collection.entries.len());
        records.hashes.reserve_exact(collection.entries.len());
        let mut builders: Vec<Builder> =
            records.index.terms.iter().map(|_| Builder::default()).collect();
        for (id, entry) in &collection.entries {
            for (builder, word) in builders.iter_mut().zip(collection.words(entry)) {
                builder.add(records.len(), word, |text| Some(Arc::from(text)));
            }
            let position = postings::count_u32(records.len());
            if entry.dependencies != Mention::None {
                records.mentions[0].push(position);
            }
            if entry.dependencies == Mention::WithOwnMembers {
                records.mentions[1].push(position);
            }
            records.hashes.push(entry.hash);
            if let Some(epic) = entry.epic {
                records.index.nested.push((position, range_of(document, epic)));
            }
            records.index.places.insert(id.as_ref().into(), range_of(document, entry.raw));
        }
        records.member_names =
            collection.member_names().map(|names| names.map(Box::from).collect());
        let count = records.len();
        records.index.terms = builders.into_iter().map(|builder| builder.finish(count)).collect();
        records
    }

    /// A hash of each record's id and text, by position; records that no document contains have none.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Whether some record has a member with this name. Where there are too many names to tell, any may be one.
    pub fn has_member(&self, name: &str) -> bool {
        self.member_names.as_ref().is_none_or(|names| names.contains(name))
    }

    /// The dependencies of each record, read at the first call.
    pub fn dependencies(&self) -> &Dependencies {
        self.dependencies.get_or_init(|| Dependencies::read(&self.index, &self.mentions[0]))
    }

    /// What may not be read as meant in `collection`, from which these were made, and in the dependencies.
    pub fn suspicions(&self, collection: &Collection<'_>) -> Suspicions<usize> {
        let mut found = collection.suspicions();
        let of_dependencies = self.dependencies().suspicions(&self.index);
        if of_dependencies.count > 0 {
            found.count += of_dependencies.count;
            found.list.extend(of_dependencies.list);
            // Stable: within a record, its dependencies come last.
            found.list.sort_by_key(|suspicion| suspicion.record);
        }
        found
    }

    /// Notes them as problems.
    pub fn note_suspicions(&self, collection: &Collection<'_>, problems: &mut Problems) {
        let id = |at: usize| Position::Id(self.id_at(at).unwrap_or_default().to_owned());
        problems.add_suspicions(self.suspicions(collection), self.kind().collection(), id);
    }

    /// Records as problems the own members that computed ones replace in records that name dependencies.
    pub fn note_replaced(&self, problems: &mut Problems) {
        for position in &self.mentions[1] {
            let Some(record) = self.record(*position as usize) else { continue };
            if self.dependencies().of(*position).is_none() {
                continue;
            }
            for name in record.replaced_by_dependencies() {
                let id = self.id(*position).unwrap_or_default().to_owned();
                let reason = format!("its field {name:?} is replaced by the computed value");
                problems.note(Position::Id(id), Effect::Repaired, reason);
            }
        }
    }

    /// All records as they are served, with commas between.
    pub fn text(&self) -> &Bytes {
        &self.rendered().text
    }

    /// Number of answers with a part of [`Self::text`] that are being sent.
    pub fn in_flight(&self) -> &InFlight {
        &self.rendered().in_flight
    }

    /// One record as it is served.
    pub fn one(&self, position: usize) -> Bytes {
        let rendered = self.rendered();
        let start = position
            .checked_sub(1)
            .and_then(|last| rendered.ends.get(last))
            .map_or(0, |end| end + 1);
        let end = rendered.ends.get(position).copied().unwrap_or(start);
        rendered.text.slice(start..end)
    }

    /// Size of one record as it is served, in bytes.
    pub fn size(&self, position: usize) -> usize {
        self.one(position).len()
    }

    /// The line of the file, counted from 1, on which a record begins, with its key where it has one; `None` for a record
    /// that the file does not hold.
    pub fn line(&self, position: usize) -> Option<u64> {
        let range = self.index.range(position)?;
        let document = &self.index.document;
        let lines = self.lines.get_or_init(|| LineIndex::of(document));
        Some(lines.line(document, key_or_value(document, range.start)))
    }

    fn rendered(&self) -> &Rendered {
        self.rendered.get_or_init(|| {
            // A text that grows beyond what was reserved takes twice the memory.
            let reserved = self.index.document.len() + MOST_COMPUTED * self.len();
            let mut text = Vec::with_capacity(reserved);
            let mut ends = Vec::with_capacity(self.len());
            for (position, (id, range)) in self.index.places.iter().enumerate() {
                if position > 0 {
                    text.push(b',');
                }
                let raw = self.index.raw(range);
                let of_dependencies = self.dependencies().members(&self.index, position);
                let computed = match &of_dependencies {
                    Some(members) => members.as_slice(),
                    None => self.computed.get(position).map_or(&[][..], Vec::as_slice),
                };
                write(self.kind(), id, raw, self.index.epic(position), computed, &mut text);
                ends.push(text.len());
            }
            text.shrink_to_fit();
            Rendered { text: text.into(), ends, in_flight: InFlight::default() }
        })
    }

    /// Adds members to each record, given by position: JSON without braces.
    #[must_use]
    pub fn with_computed(mut self, computed: impl Fn(usize) -> String) -> Self {
        self.computed = (0..self.len()).map(|position| computed(position).into_bytes()).collect();
        self
    }

    /// Adds records that no document contains, such as epics that only stories name.
    #[must_use]
    pub fn with_absent(mut self, ids: Vec<String>) -> Self {
        let (before, added) = (self.len(), ids.len());
        self.index.places.extend(ids.into_iter().map(|id| (id.into_boxed_str(), 0..0)));
        let absent = Terms::absent(added);
        let join =
            |terms: &Terms| Terms::concatenate([(terms, before), (&absent, added)].into_iter());
        self.index.terms = self.index.terms.iter().map(join).collect();
        self
    }
}

impl Deref for Records {
    type Target = Index;

    fn deref(&self) -> &Index {
        &self.index
    }
}

fn write(kind: Kind, id: &str, raw: &[u8], epic: Option<&str>, computed: &[u8], out: &mut Vec<u8>) {
    // Only records that were read before are written; one without text is written as an empty object.
    let raw = std::str::from_utf8(raw).ok().filter(|raw| !raw.is_empty()).unwrap_or("{}");
    if let Ok(record) = Record::read(kind, raw) {
        record.within(epic).write(Some(id), computed, out);
    }
}

/// The range of `part`, a subslice of `document`, within it.
fn range_of(document: &Bytes, part: &str) -> Range<u32> {
    let start = (part.as_ptr() as usize).saturating_sub(document.as_ptr() as usize);
    postings::count_u32(start)..postings::count_u32(start + part.len())
}
