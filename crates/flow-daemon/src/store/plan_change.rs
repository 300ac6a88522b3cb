//! A change of the plan, and what was not compared.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::model::change::{Effect, Standing, What};
use crate::model::wording::Loss;
use crate::store::collection::Collection;

/// A change of the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanChange {
    /// The collection of the record.
    pub collection: Collection,
    /// The id of the record, now if it still exists.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// The kind of the change.
    pub what: What,
    /// The documented name of the member that changed; `id` for a record that was moved; `None` for one that was added or
    /// removed.
    pub member: Option<&'static str>,
    /// The value before, as text; of a removed record, its status.
    pub before: Option<String>,
    /// The value now; of an added record, its status.
    pub after: Option<String>,
    /// What it does to what the plan promises, if that is less now.
    pub effect: Option<Effect>,
    /// What a new wording drops.
    pub loss: Option<Loss>,
    /// The open parts of a record that is completed, by their ids or texts.
    pub open: Vec<String>,
    /// Where the record stood before; `None` if it was not there, or its status followed from the boxes of its tasks.
    pub was: Option<Standing>,
    /// Where it stands now, likewise.
    pub now: Option<Standing>,
    /// Who the record is assigned to now, else before.
    pub owner: Option<String>,
    /// The story or epic that the record belongs to.
    pub parent: Option<String>,
    /// Where the record is, or was if it is gone.
    pub place: Option<RecordPlace>,
}

impl PlanChange {
    /// A change of a record of which nothing else is known.
    pub fn new(collection: Collection, what: What, id: &str) -> Self {
        Self {
            collection,
            id: id.to_owned(),
            title: None,
            what,
            member: None,
            before: None,
            after: None,
            effect: None,
            loss: None,
            open: Vec::new(),
            was: None,
            now: None,
            owner: None,
            parent: None,
            place: None,
        }
    }

    /// Whether it is the change of a status.
    pub fn is_of_status(&self) -> bool {
        matches!(self.member, Some("status" | "state"))
    }

    /// The memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        let texts = [&self.title, &self.before, &self.after, &self.owner, &self.parent];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        let open: usize = self.open.iter().map(|one| one.len() + size_of::<String>()).sum();
        let place = self.place.as_ref().map_or(0, |place| place.file.len());
        size_of::<Self>() + self.id.len() + texts + open + place
    }

    /// Adds its members to those of an answer. The field of a whole record is named only in lists of activity.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn add_to<M: SerializeMap>(
        &self,
        members: &mut M,
        field: Option<&str>,
    ) -> Result<(), M::Error> {
        members.serialize_entry("collection", self.collection.name())?;
        members.serialize_entry("id", &self.id)?;
        members.serialize_entry("title", &self.title)?;
        members.serialize_entry("change", self.what.name())?;
        if let Some(field) = field {
            members.serialize_entry("field", field)?;
        }
        members.serialize_entry("from", &self.before)?;
        members.serialize_entry("to", &self.after)?;
        if let Some(effect) = self.effect {
            members.serialize_entry("effect", effect.name())?;
        }
        if let Some(loss) = self.loss.as_ref().filter(|_| self.effect.is_some()) {
            members.serialize_entry("loss", &Named(loss))?;
        }
        if !self.open.is_empty() {
            members.serialize_entry("open", &self.open)?;
        }
        if let Some(owner) = &self.owner {
            members.serialize_entry("owner", owner)?;
        }
        if let Some(place) = &self.place {
            members.serialize_entry("file", &place.file)?;
            if let Some(line) = place.line {
                members.serialize_entry("line", &line)?;
            }
        }
        Ok(())
    }
}

impl Serialize for PlanChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        self.add_to(&mut members, self.member)?;
        members.end()
    }
}

/// A loss as an object of its kind and the word.
struct Named<'a>(&'a Loss);

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, word) = match self.0 {
            Loss::Number(word) => ("number", Some(word)),
            Loss::Negation(word) => ("negation", Some(word)),
            Loss::Words => ("words", None),
        };
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("kind", kind)?;
        if let Some(word) = word {
            members.serialize_entry("word", word)?;
        }
        members.end()
    }
}

/// Where a record begins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordPlace {
    /// The path of the file, relative to the root.
    pub file: String,
    /// The line, from 1, if it is known.
    pub line: Option<u64>,
}

/// A file that is not compared, or records that are not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotCompared {
    /// Its path, relative to the root.
    pub file: String,
    /// Whether it is the later state that cannot be read.
    pub is_now: bool,
    /// Why, as a phrase.
    pub reason: String,
}
