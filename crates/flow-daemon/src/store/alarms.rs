//! What took something back from the plan, until it is restored: what one write of one file did is one alarm.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::model::change::{Effect, How, Standing, What};
use crate::model::wording::{self, Wording};

use super::activity::Change;
use super::collection::Collection;
use super::plan_change::PlanChange;
use super::plan_rows::{Label, Row, Rows, Summary};

/// How long an alarm is kept.
pub const KEPT_FOR: Duration = Duration::from_hours(24 * 7);
/// Number of alarms that are kept.
pub const KEPT: usize = 1_000;
/// Number of changes of an alarm that are kept; all are counted.
const CHANGES: usize = 100;
/// The memory that all changes may take, in bytes; beyond that the oldest alarms go.
const KEPT_BYTES: usize = 8 << 20;

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
    /// What the changes took, as it is compared: the titles of removed records, the values before of members.
    texts: Vec<Text>,
}

/// A hash of a text apart from its spelling; `None` of one without words.
type Text = Option<u64>;

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
        let is_of_somebody = |change: &&Arc<Change>| change.how != How::Checkout;
        let weaker =
            changes.iter().filter(is_of_somebody).filter(|change| change.plan.effect.is_some());
        let weaker: Vec<PlanChange> = weaker.map(|change| change.plan.clone()).collect();
        if weaker.is_empty() {
            return;
        }
        let summary = Summary::of(&weaker, Rows::One);
        let raised = summary.rows.iter().filter(|row| row.label.is_weaker());
        let list = Arc::make_mut(&mut self.0);
        list.extend(raised.map(|row| Arc::new(Alarm::of(row, first.at, how))));
        let mut bytes = 0;
        let fits = |alarm: &&Arc<Alarm>| {
            bytes += alarm.changes.iter().map(PlanChange::bytes).sum::<usize>();
            bytes <= KEPT_BYTES
        };
        let kept = list.iter().rev().take(KEPT).take_while(fits).count();
        list.drain(..list.len() - kept);
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
        let news = News::of(changes);
        let is_concerned = |alarm: &Arc<Alarm>| {
            let mut lost = alarm.changes.iter().zip(&alarm.texts);
            lost.any(|(lost, text)| news.new_id(lost).is_some() || news.restore(lost, *text))
        };
        if !self.0.iter().any(is_concerned) {
            return;
        }
        let alarms = Arc::make_mut(&mut self.0);
        for alarm in alarms.iter_mut().filter(|alarm| is_concerned(alarm)) {
            Arc::make_mut(alarm).restore(&news);
        }
        alarms.retain(|alarm| !alarm.changes.is_empty());
    }
}

/// The changes of one write, by what may concern a loss.
struct News<'a> {
    of_record: HashMap<(Collection, &'a str), Vec<&'a PlanChange>>,
    /// The texts of the records that are new.
    added: HashSet<(Collection, u64)>,
    /// The ids now of records that had another one, by that.
    renamed: HashMap<(Collection, &'a str), &'a str>,
}

impl<'a> News<'a> {
    fn of(changes: &[&'a PlanChange]) -> Self {
        let mut news =
            Self { of_record: HashMap::new(), added: HashSet::new(), renamed: HashMap::new() };
        for change in changes {
            let collection = change.collection;
            news.of_record.entry((collection, change.id.as_str())).or_default().push(change);
            if change.what == What::Added && change.member.is_none() {
                let title = change.title.as_deref().unwrap_or_default();
                news.added.extend(text_of(title).map(|text| (collection, text)));
            }
            let is_renamed = matches!(change.what, What::Moved | What::Archived);
            if let Some(before) = change.before.as_deref()
                && change.member == Some("id")
                && is_renamed
            {
                news.renamed.insert((collection, before), change.id.as_str());
            }
        }
        news
    }

    /// The id that the record of a loss has now, if it is another one.
    fn new_id(&self, lost: &PlanChange) -> Option<&'a str> {
        self.renamed.get(&(lost.collection, lost.id.as_str())).copied()
    }

    /// Whether a loss is given back, or more is told of its record.
    fn restore(&self, lost: &PlanChange, text: Text) -> bool {
        let is_record = lost.what == What::Removed && lost.member.is_none();
        if is_record && text.is_some_and(|text| self.added.contains(&(lost.collection, text))) {
            return true;
        }
        let of_record = self.of_record.get(&(lost.collection, lost.id.as_str()));
        of_record.into_iter().flatten().any(|now| restores(lost, text, now))
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
            texts: changes.iter().map(text_before).collect(),
            changes,
        }
    }

    /// Drops the changes that these restore, and follows records to their new ids.
    fn restore(&mut self, news: &News<'_>) {
        let before = self.changes.len();
        let mut kept = Vec::new();
        for (mut lost, text) in self.changes.drain(..).zip(self.texts.drain(..)) {
            if news.restore(&lost, text) {
                continue;
            }
            if let Some(id) = news.new_id(&lost) {
                id.clone_into(&mut lost.id);
            }
            kept.push((lost, text));
        }
        (self.changes, self.texts) = kept.into_iter().unzip();
        self.count -= before - self.changes.len();
    }
}

fn text_of(text: &str) -> Text {
    let wording = Wording::of(text);
    (!wording.is_empty()).then(|| xxh3_64(wording.key().as_bytes()))
}

/// What a removed record said, or a member before.
fn text_before(change: &PlanChange) -> Text {
    let of_record = change.title.as_deref().filter(|_| change.member.is_none());
    of_record.or(change.before.as_deref()).and_then(text_of)
}

/// Whether a later change of the same record gives back what another one took, or tells more about the record.
fn restores(lost: &PlanChange, text: Text, now: &PlanChange) -> bool {
    let [before, after] =
        [&lost.before, &now.after].map(|text| text.as_deref().unwrap_or_default());
    let is_same = || text.is_some() && text_of(after) == text;
    if lost.what == What::Removed && lost.member.is_none() {
        let titles = [&lost.title, &now.title].map(|text| text.as_deref().unwrap_or_default());
        let says_it = || wording::loss(titles[0], titles[1]).is_none();
        return now.what == What::Added && now.member.is_none() && says_it();
    }
    if now.what == What::Removed && now.member.is_none() {
        return true;
    }
    match lost.effect {
        Some(Effect::Reopened) if lost.is_of_status() => {
            now.is_of_status() && now.now == Some(Standing::Done)
        }
        Some(Effect::Reopened) => now.what == What::Ticked && is_same(),
        Some(Effect::Weakened) => {
            let says_it = || lost.what != What::Removed && wording::loss(before, after).is_none();
            lost.member == now.member && now.after.is_some() && (is_same() || says_it())
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
