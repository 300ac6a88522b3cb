//! Failed and blocked tasks and stories as items that need attention: the reason, since when, and what they hold up.

use std::collections::HashMap;
use std::time::SystemTime;

use crate::model::record::Record;
use crate::model::time;
use crate::store::Snapshot;
use crate::store::collection::Collection;
use crate::store::index::status_field;
use crate::store::records::Records;

use super::conversation::{Conversation, Message};
use super::excerpt;
use super::item::{Details, Item, Kind, LISTED, key};

/// Number of records that an item lists as held up.
const HELD_UP: usize = 100;

/// The records with one status.
struct Group<'a> {
    collection: Collection,
    records: &'a Records,
    status: &'static str,
    /// When the newest change of each record's status was observed.
    seen: HashMap<&'a str, SystemTime>,
}

/// The failed tasks, and the number of all.
pub(super) fn failed_tasks(snapshot: &Snapshot) -> (Vec<Item>, usize) {
    let group = Group::of(snapshot, Collection::Tasks, "failed");
    group.items(|group, position, record| {
        let reason = own_reason(group, position, record);
        Item {
            reason: reason.unwrap_or_else(|| "no reason given".to_owned()),
            ..group.item(Kind::TaskFailed, position, record, None)
        }
    })
}

/// The blocked tasks, and the number of all.
pub(super) fn blocked_tasks(snapshot: &Snapshot) -> (Vec<Item>, usize) {
    let group = Group::of(snapshot, Collection::Tasks, "blocked");
    group.items(|group, position, record| group.blocked(Kind::TaskBlocked, position, record, None))
}

/// The blocked stories, and the number of all.
pub(super) fn blocked_stories(
    snapshot: &Snapshot,
    conversation: &Conversation,
) -> (Vec<Item>, usize) {
    let group = Group::of(snapshot, Collection::Stories, "blocked");
    group.items(|group, position, record| {
        let said = group.records.id(position).and_then(|id| conversation.blocked.get(id));
        group.blocked(Kind::StoryBlocked, position, record, said)
    })
}

/// When the server saw that records got their present status, by id.
pub(super) fn statuses_seen(
    snapshot: &Snapshot,
    collection: Collection,
) -> HashMap<&str, SystemTime> {
    let mut seen = HashMap::new();
    for (_, change) in snapshot.history.activity.newest() {
        let plan = &change.plan;
        let tells = plan.member.is_none() || plan.is_of_status();
        if plan.collection == collection && tells {
            seen.entry(plan.id.as_str()).or_insert(change.at);
        }
    }
    seen
}

impl<'a> Group<'a> {
    fn of(snapshot: &'a Snapshot, collection: Collection, status: &'static str) -> Self {
        let records = snapshot.records(collection);
        let has_any = records
            .terms(status_field(records.kind()))
            .is_some_and(|terms| terms.get(status).is_some());
        let seen = if has_any { statuses_seen(snapshot, collection) } else { HashMap::new() };
        Self { collection, records, status, seen }
    }

    fn items(&self, item: impl Fn(&Self, u32, &Record<'_>) -> Item) -> (Vec<Item>, usize) {
        let terms = self.records.terms(status_field(self.records.kind()));
        let Some(set) = terms.and_then(|terms| terms.get(self.status)) else {
            return (Vec::new(), 0);
        };
        let positions = self.records.positions(Some(set));
        let read = |position: &u32| {
            let record = self.records.record(*position as usize)?;
            Some(item(self, *position, &record))
        };
        (positions.iter().take(LISTED).filter_map(read).collect(), set.len())
    }

    fn blocked(
        &self,
        kind: Kind,
        position: u32,
        record: &Record<'_>,
        said: Option<&Message>,
    ) -> Item {
        let dependencies = self.records.dependencies();
        let waits_for = dependencies.waits_for(self.records, position);
        let waits_for: Vec<String> = waits_for.into_iter().map(str::to_owned).collect();
        let holds_up = dependencies.holds_up(self.records, position, HELD_UP);
        let holds_up = holds_up.into_iter().map(str::to_owned).collect();
        let reason = own_reason(self, position, record)
            .or_else(|| said?.text.clone())
            .or_else(|| {
                excerpt(&format!("waits for {}", waits_for.first()?)).map(|first| {
                    let more = waits_for.len() - 1;
                    if more > 0 { format!("{first} and {more} more") } else { first }
                })
            })
            .unwrap_or_else(|| "no reason given".to_owned());
        let details = if self.collection == Collection::Tasks {
            Details::Blocked { story_id: text(record, "story_id"), waits_for, holds_up }
        } else {
            Details::BlockedStory { waits_for, holds_up }
        };
        Item { reason, details, ..self.item(kind, position, record, said.and_then(|said| said.at)) }
    }

    fn item(&self, kind: Kind, position: u32, record: &Record<'_>, said_at: Option<i64>) -> Item {
        Item {
            kind,
            label: kind.label(),
            key: key(kind, self.collection.name(), self.records.id(position).unwrap_or_default()),
            id: self.records.id(position).map(str::to_owned),
            title: record.title().as_deref().and_then(excerpt),
            reason: String::new(),
            since: self.since(position, record, said_at),
            source: self.collection.source().name(),
            agent: text(record, self.collection.assignee()),
            details: Details::OfStory { story_id: text(record, "story_id") },
        }
    }

    /// Since when the record has its status: by its own member, a message, the server's observation, or else its last
    /// update, in this order.
    fn since(&self, position: u32, record: &Record<'_>, said_at: Option<i64>) -> Option<String> {
        let status = self.status;
        let time_of_status = [format!("{status}_at"), format!("{status}At")];
        let time_of_status =
            time_of_status.iter().find_map(|name| record.first_time(&[name])).or(said_at);
        if let Some(time_of_status) = time_of_status {
            return time::format_nanoseconds(time_of_status);
        }
        let id = self.records.id(position)?;
        let seen = self.seen.get(id).map(|at| time::format(*at));
        let touched = || record.first_time(record.kind().spellings("updated_at"));
        seen.or_else(|| touched().and_then(time::format_nanoseconds))
    }
}

/// The reason in the record itself why it is blocked or has failed.
fn own_reason(group: &Group<'_>, position: u32, record: &Record<'_>) -> Option<String> {
    let reasons = group.records.dependencies().reasons(position).join("; ");
    let other = |name: &&str| excerpt(&record.word(name)?);
    let names = record.kind().spellings("blocked_reason");
    excerpt(&reasons).or_else(|| names.iter().find_map(other))
}

fn text(record: &Record<'_>, name: &str) -> Option<String> {
    record.word(name).map(std::borrow::Cow::into_owned).filter(|text| !text.is_empty())
}
