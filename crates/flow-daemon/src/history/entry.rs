//! A change as a line of the journal.

use std::time::SystemTime;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::model::change::{Effect, How, Standing, What};
use crate::model::name::Name;
use crate::model::record::Kind;
use crate::model::time::{self, Edge};
use crate::model::wording::Loss;
use crate::store::activity::Change;
use crate::store::collection::Collection;
use crate::store::plan_change::{PlanChange, RecordPlace};

/// Members that are not part of the plan and can change: what moved, and the state of a session.
const OTHERS: [&str; 4] = ["id", "file", "active", "status"];

/// A change with its number.
pub(super) struct Entry<'a> {
    pub(super) number: u64,
    pub(super) change: &'a Change,
}

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Change { at, how, commit, plan } = self.change;
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("n", &self.number)?;
        members.serialize_entry("at", &time::format(*at))?;
        members.serialize_entry("how", how.name())?;
        if let Some(commit) = commit {
            members.serialize_entry("commit", commit.as_ref())?;
        }
        plan.add_to(&mut members, plan.member)?;
        members.serialize_entry("parent", &plan.parent)?;
        members.serialize_entry("was", &plan.was.map(Standing::name))?;
        members.serialize_entry("now", &plan.now.map(Standing::name))?;
        members.end()
    }
}

/// A line as it is read.
#[derive(Deserialize)]
struct Written {
    n: u64,
    at: String,
    how: String,
    commit: Option<String>,
    collection: String,
    id: String,
    title: Option<String>,
    change: String,
    field: Option<String>,
    from: Option<String>,
    to: Option<String>,
    effect: Option<String>,
    loss: Option<Lost>,
    #[serde(default)]
    open: Vec<String>,
    owner: Option<String>,
    file: Option<String>,
    line: Option<u64>,
    parent: Option<String>,
    was: Option<String>,
    now: Option<String>,
}

#[derive(Deserialize)]
struct Lost {
    kind: String,
    word: Option<String>,
}

/// Reads a line; `None` if it is none of this version.
pub(super) fn read(line: &[u8]) -> Option<(u64, Change)> {
    let line: Written = serde_json::from_slice(line).ok()?;
    let collection = Collection::of(&line.collection)?;
    let member = match &line.field {
        Some(field) => Some(member(collection, field)?),
        None => None,
    };
    let effect = match &line.effect {
        Some(name) => Some(Effect::of(name)?),
        None => None,
    };
    let loss = line.loss.map(|lost| match (lost.kind.as_str(), lost.word) {
        ("number", Some(word)) => Loss::Number(word),
        ("negation", Some(word)) => Loss::Negation(word),
        _ => Loss::Words,
    });
    let place = line.file.map(|file| RecordPlace { file, line: line.line });
    let plan = PlanChange {
        collection,
        id: line.id,
        title: line.title,
        what: What::of(&line.change)?,
        member,
        before: line.from,
        after: line.to,
        effect,
        loss,
        open: line.open,
        was: line.was.as_deref().and_then(Standing::of),
        now: line.now.as_deref().and_then(Standing::of),
        owner: line.owner,
        parent: line.parent,
        place,
    };
    let nanoseconds = time::parse(&line.at, Edge::Start)?;
    let since_1970 = std::time::Duration::from_nanos(u64::try_from(nanoseconds).ok()?);
    let (at, how) = (SystemTime::UNIX_EPOCH + since_1970, How::of(&line.how)?);
    Some((line.n, Change { at, how, commit: line.commit.map(Into::into), plan }))
}

fn member(collection: Collection, name: &str) -> Option<&'static str> {
    let kind = match collection {
        Collection::Stories => Kind::Story,
        Collection::Epics => Kind::Epic,
        Collection::Tasks => Kind::Task,
        Collection::Sessions => Kind::Session,
    };
    let documented = kind.name(name).map(Name::documented);
    documented.or_else(|| OTHERS.into_iter().find(|other| *other == name))
}
