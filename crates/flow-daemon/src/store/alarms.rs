//! What took something back from the plan, until it is restored: what one write of one file did is one alarm.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use xxhash_rust::xxh3::Xxh3;

use crate::model::change::{Effect, How, What};
use crate::model::wording::{self, Wording};

use super::activity::Change;
use super::plan_change::PlanChange;
use super::plan_rows::{Label, Row, Rows, Summary};

/// How long an alarm is kept.
pub const KEPT_FOR: Duration = Duration::from_hours(24 * 7);
/// Number of alarms that are kept.
pub const KEPT: usize = 1_000;
/// Number of changes of an alarm that are kept; all are counted.
const CHANGES: usize = 100;

/// What one write of one file took back.
#[derive(Debug, Clone)]
pub struct Alarm {
    /// Identifies it, also in a later run.
    pub key: u64,
    /// When it was observed.
    pub at: SystemTime,
    /// How.
    pub how: How,
    /// Removed, weakened, reopened or a contradiction.
    pub label: Label,
    /// The ids of the first records.
    pub subject: String,
    /// What happened, as a sentence without its subject.
    pub sentence: String,
    /// Number of changes.
    pub count: usize,
    /// The first changes, without those that were restored.
    pub changes: Vec<PlanChange>,
    /// The texts of the changes as they are compared; those of the titles of removed records.
    texts: Vec<Wording>,
}

/// The alarms, oldest first. Immutable.
#[derive(Debug, Clone, Default)]
pub struct Alarms(Arc<Vec<Arc<Alarm>>>);

impl Alarms {
    /// The alarms, oldest first. A contradiction may have ended since.
    pub fn all(&self) -> impl Iterator<Item = &Alarm> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// Takes the changes of one write: ends the alarms that it restores, and raises others.
    pub fn note(&mut self, changes: &[Arc<Change>]) {
        let how = changes.iter().map(|change| change.how).find(|how| *how != How::Checkout);
        let (Some(first), how) = (changes.first(), how.unwrap_or(How::Checkout)) else { return };
        if !self.0.is_empty() {
            let plans: Vec<&PlanChange> = changes.iter().map(|change| &change.plan).collect();
            self.restore(&plans);
        }
        let is_deed = |change: &&Arc<Change>| change.how != How::Checkout;
        let weaker = changes.iter().filter(is_deed).filter(|change| change.plan.effect.is_some());
        let weaker: Vec<PlanChange> = weaker.map(|change| change.plan.clone()).collect();
        if weaker.is_empty() {
            return;
        }
        let summary = Summary::of(&weaker, Rows::One);
        let raised = summary.rows.iter().filter(|row| row.label.is_weaker());
        let list = Arc::make_mut(&mut self.0);
        list.extend(raised.map(|row| Arc::new(Alarm::of(row, first.at, how))));
        list.drain(..list.len().saturating_sub(KEPT));
    }

    /// Drops what is older than [`KEPT_FOR`].
    pub fn forget(&mut self, now: SystemTime) {
        let is_old =
            |alarm: &Arc<Alarm>| now.duration_since(alarm.at).is_ok_and(|age| age > KEPT_FOR);
        if self.0.iter().any(is_old) {
            Arc::make_mut(&mut self.0).retain(|alarm| !is_old(alarm));
        }
    }

    fn restore(&mut self, changes: &[&PlanChange]) {
        let texts: Vec<Wording> =
            changes.iter().map(|change| Wording::of(text_now(change))).collect();
        let is_concerned = |alarm: &Arc<Alarm>| {
            let lost = alarm.changes.iter().zip(&alarm.texts);
            lost.into_iter().any(|(lost, text)| {
                changes.iter().zip(&texts).any(|(now, other)| touches(lost, text, now, other))
            })
        };
        if !self.0.iter().any(is_concerned) {
            return;
        }
        for alarm in Arc::make_mut(&mut self.0).iter_mut() {
            if is_concerned(alarm) {
                Arc::make_mut(alarm).restore(changes, &texts);
            }
        }
        Arc::make_mut(&mut self.0).retain(|alarm| !alarm.changes.is_empty());
    }
}

impl Alarm {
    fn of(row: &Row<'_>, at: SystemTime, how: How) -> Self {
        let mut hash = Xxh3::new();
        let since_1970 = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        hash.update(&since_1970.as_millis().to_le_bytes());
        for part in [row.label.name(), &row.subject, &row.what] {
            hash.update(part.as_bytes());
        }
        let changes: Vec<PlanChange> =
            row.changes.iter().take(CHANGES).map(|change| (*change).clone()).collect();
        Self {
            key: hash.digest(),
            at,
            how,
            label: row.label,
            subject: row.subject.clone(),
            sentence: sentence(row),
            count: row.changes.len(),
            texts: changes.iter().map(|change| Wording::of(text_before(change))).collect(),
            changes,
        }
    }

    /// Drops the changes that these restore, and follows records to their new ids.
    fn restore(&mut self, changes: &[&PlanChange], texts: &[Wording]) {
        let before = self.changes.len();
        let mut kept = Vec::new();
        for (mut lost, text) in self.changes.drain(..).zip(self.texts.drain(..)) {
            let restored =
                changes.iter().zip(texts).any(|(now, other)| restores(&lost, &text, now, other));
            if restored {
                continue;
            }
            if let Some(id) = changes.iter().find_map(|now| new_id(&lost, now)) {
                id.clone_into(&mut lost.id);
            }
            kept.push((lost, text));
        }
        (self.changes, self.texts) = kept.into_iter().unzip();
        self.count -= before - self.changes.len();
    }
}

/// What a removed record said, or a member before.
fn text_before(change: &PlanChange) -> &str {
    let of_record = change.title.as_ref().filter(|_| change.member.is_none());
    of_record.or(change.before.as_ref()).map_or("", String::as_str)
}

fn text_now(change: &PlanChange) -> &str {
    let of_record = change.title.as_ref().filter(|_| change.member.is_none());
    of_record.or(change.after.as_ref()).map_or("", String::as_str)
}

fn touches(lost: &PlanChange, text: &Wording, now: &PlanChange, other: &Wording) -> bool {
    new_id(lost, now).is_some() || restores(lost, text, now, other)
}

/// The id that a record has now.
fn new_id<'a>(lost: &PlanChange, now: &'a PlanChange) -> Option<&'a str> {
    let is_renamed = now.member == Some("id") && matches!(now.what, What::Moved | What::Archived);
    let is_it = lost.collection == now.collection && now.before.as_deref() == Some(&*lost.id);
    (is_renamed && is_it).then_some(now.id.as_str())
}

/// Whether a change gives back what another one took, or tells more about the same record.
fn restores(lost: &PlanChange, text: &Wording, now: &PlanChange, other: &Wording) -> bool {
    if lost.collection != now.collection {
        return false;
    }
    let is_same = text.key() == other.key();
    if lost.what == What::Removed && lost.member.is_none() {
        let is_back = now.what == What::Added && now.member.is_none();
        let before = lost.title.as_deref().unwrap_or_default();
        let says_it = || wording::loss(before, now.title.as_deref().unwrap_or_default()).is_none();
        return is_back && (is_same && !text.is_empty() || lost.id == now.id && says_it());
    }
    if lost.id != now.id {
        return false;
    }
    if now.what == What::Removed && now.member.is_none() {
        return true;
    }
    match lost.effect {
        Some(Effect::Reopened) if lost.is_of_status() => now.is_of_status() && now.is_done,
        Some(Effect::Reopened) => now.what == What::Ticked && is_same,
        Some(Effect::Weakened) => {
            let says_it = || {
                let [before, after] =
                    [&lost.before, &now.after].map(|text| text.as_deref().unwrap_or_default());
                wording::loss(before, after).is_none()
            };
            lost.member == now.member
                && now.after.is_some()
                && (is_same || lost.what != What::Removed && says_it())
        }
        // Whether it holds follows from the records of now.
        Some(Effect::Contradiction) | None => false,
    }
}

/// What happened, for people.
fn sentence(row: &Row<'_>) -> String {
    let Some(first) = row.changes.first() else { return row.what.clone() };
    let count = row.changes.len();
    let records = first.collection.name();
    let is_one = row.changes.iter().all(|change| change.id == first.id);
    match (row.label, count) {
        (Label::Removed, 1) => {
            let status =
                first.before.as_deref().map_or("open".to_owned(), |status| format!("{status:?}"));
            let parts = match row.parts {
                0 => String::new(),
                1 => ", with 1 open task".to_owned(),
                parts => format!(", with {parts} open tasks"),
            };
            format!("removed while it was {status}{parts}")
        }
        (Label::Removed, _) => format!("{count} open {records} removed"),
        (_, 1) => row.what.clone(),
        _ if is_one => format!("{}, {count} times", row.what),
        _ => format!("{count} {records}: {}", row.what),
    }
}
