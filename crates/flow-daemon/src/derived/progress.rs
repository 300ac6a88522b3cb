//! How a plan moved: how many records were open and done at the end of each day or week, and how long they stayed in a status.
//!
//! Both follow from the known changes. Numbers of earlier times are those of now without what changed since:
//!
//! ```text
//! now             7 open, 3 done
//! Tuesday         t1 completed, t9 added        so at the end of Monday: 7 open, 2 done
//! ```

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, SystemTime};

use indexmap::IndexMap;
use serde::Serialize;

use crate::model::change::{Effect, How, Standing, What};
use crate::model::document::canonical;
use crate::model::record::Kind;
use crate::store::Snapshot;
use crate::store::activity::Change;
use crate::store::collection::Collection;
use crate::store::index::status_field;
use crate::store::postings::count_u32;
use crate::store::records::Records;

/// Most statuses that are listed: those with most stays.
const MOST_STATUSES: usize = 50;
/// Number of records or changes from which the answer takes more than a few milliseconds.
const MANY: usize = 10_000;
/// Most epics whose numbers are listed, those that changed last, and most buckets of each, the newest.
const MOST_EPICS: usize = 200;
const MOST_OF_EPIC: usize = 60;
/// The percentiles of stays, in hundredths.
const MEDIAN: usize = 50;
const LONG: usize = 85;

/// How the records of a collection moved.
#[derive(Debug, Default)]
pub struct Progress {
    /// The time of the oldest known change.
    pub since: Option<SystemTime>,
    /// The counts by the number of the bucket.
    pub buckets: BTreeMap<i64, Counts>,
    /// The stays that were seen from the beginning to the end.
    pub stays: Vec<Stay>,
    /// Number of stays of which the beginning or the end is not known.
    pub unknown: u64,
}

/// The records at the end of a bucket, and the changes within it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Counts {
    pub open: u64,
    pub done: u64,
    pub added: u64,
    pub removed: u64,
    pub reopened: u64,
    pub weakened: u64,
}

/// How long records stayed in a status.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Stay {
    pub status: String,
    pub p50_seconds: u64,
    pub p85_seconds: u64,
    /// Number of stays.
    pub n: usize,
}

/// Whether computing it may hold up other requests.
pub fn is_expensive(snapshot: &Snapshot) -> bool {
    let records = [Collection::Stories, Collection::Tasks].map(|one| snapshot.records(one).len());
    records.into_iter().chain([snapshot.history.activity.kept()]).any(|count| count > MANY)
}

/// How the records of a collection moved; `bucket` gives the number of the bucket of a time.
pub fn progress(
    snapshot: &Snapshot,
    collection: Collection,
    bucket: impl Fn(SystemTime) -> i64,
) -> Progress {
    let (mut open, mut done) = now(snapshot, collection);
    let mut progress = Progress::default();
    let mut stays = Stays::new(snapshot.records(collection).kind());
    let changes = snapshot.history.activity.newest().map(|(_, change)| change);
    let mut is_recorded = true;
    for change in changes.filter(|change| change.plan.collection == collection) {
        let plan = &change.plan;
        if std::mem::replace(&mut is_recorded, change.how != How::Git) && !is_recorded {
            // What was not committed before the first start is in no change.
            (open, done) = at_the_end_of_the_past(snapshot, collection).unwrap_or((open, done));
        }
        progress.since = Some(progress.since.map_or(change.at, |since| since.min(change.at)));
        let fresh = Counts { open, done, ..Counts::default() };
        let counts = progress.buckets.entry(bucket(change.at)).or_insert(fresh);
        let is_whole = plan.member.is_none();
        // Neither is known of a record whose status follows from boxes.
        let is_counted = is_whole && (plan.was.is_some() || plan.now.is_some());
        counts.added += u64::from(is_counted && plan.what == What::Added);
        counts.removed += u64::from(is_counted && plan.what == What::Removed);
        counts.reopened += u64::from(plan.effect == Some(Effect::Reopened));
        counts.weakened += u64::from(plan.effect == Some(Effect::Weakened));
        if moves(change) {
            before(change, &mut open, &mut done);
            stays.change(change);
        } else if plan.member == Some("id") {
            stays.rename(change);
        }
    }
    (progress.stays, progress.unknown) = stays.finish();
    progress
}

/// The stories of an epic that were open and done at the end of a bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct OfEpic {
    pub open: u64,
    pub done: u64,
}

/// How the stories of each epic moved, the epic that changed last first. The stories of an epic are those that it has now, and
/// those that were removed from it.
pub fn of_epics(
    snapshot: &Snapshot,
    bucket: impl Fn(SystemTime) -> i64,
) -> IndexMap<String, BTreeMap<i64, OfEpic>> {
    let stories = snapshot.records(Collection::Stories);
    let mut epics = HashMap::new();
    if let Some(terms) = stories.terms("epic_id") {
        for epic in terms.values() {
            let ours = stories.positions(terms.get(epic)).into_iter();
            epics.extend(ours.filter_map(|position| Some((stories.id(position)?, epic))));
        }
    }
    let mut numbers: HashMap<&str, OfEpic> = HashMap::new();
    for (position, standing) in counted(stories) {
        let epic = stories.id_at(position).and_then(|id| epics.get(id));
        if let Some(numbers) = epic.map(|epic| numbers.entry(epic).or_default()) {
            numbers.open += u64::from(standing == Standing::Open);
            numbers.done += u64::from(standing == Standing::Done);
        }
    }
    let activity = &snapshot.history.activity;
    let mut found: IndexMap<String, BTreeMap<i64, OfEpic>> = IndexMap::new();
    let mut is_recorded = true;
    let changes = activity.newest().map(|(_, change)| change);
    for change in changes.filter(|change| change.plan.collection == Collection::Stories) {
        let plan = &change.plan;
        if std::mem::replace(&mut is_recorded, change.how != How::Git)
            && !is_recorded
            && let Some(past) = activity.whole_past()
        {
            numbers = at_the_end_of(past, &epics);
        }
        let Some(epic) = epic_of(&epics, change) else { continue };
        let numbers = numbers.entry(epic).or_default();
        if found.contains_key(epic) || found.len() < MOST_EPICS {
            let buckets = found.entry(epic.to_owned()).or_default();
            let number = bucket(change.at);
            if buckets.contains_key(&number) || buckets.len() < MOST_OF_EPIC {
                buckets.entry(number).or_insert(*numbers);
            }
        }
        if moves(change) {
            before(change, &mut numbers.open, &mut numbers.done);
        } else if let (Some("id"), Some(former)) = (plan.member, &plan.before) {
            epics.insert(former, epic);
        }
    }
    found
}

/// The epic of a story that changed: that of now, or of its removal.
fn epic_of<'a>(epics: &HashMap<&'a str, &'a str>, change: &'a Change) -> Option<&'a str> {
    epics.get(change.plan.id.as_str()).copied().or(change.plan.parent.as_deref())
}

/// The numbers of the epics after the last change of a past that began with an empty plan.
fn at_the_end_of<'a>(
    past: impl Iterator<Item = &'a Change>,
    epics: &HashMap<&'a str, &'a str>,
) -> HashMap<&'a str, OfEpic> {
    let mut sums: HashMap<&str, [i64; 2]> = HashMap::new();
    let of_stories = |change: &&Change| change.plan.collection == Collection::Stories;
    for change in past.filter(of_stories).filter(|change| moves(change)) {
        let Some(epic) = epic_of(epics, change) else { continue };
        add(change, sums.entry(epic).or_default());
    }
    let count = |sum: i64| u64::try_from(sum).unwrap_or_default();
    let numbers = |(epic, [open, done]): (&'a str, [i64; 2])| {
        (epic, OfEpic { open: count(open), done: count(done) })
    };
    sums.into_iter().map(numbers).collect()
}

/// Whether a change may be one of where a record stands.
fn moves(change: &Change) -> bool {
    change.plan.member.is_none() || change.plan.is_of_status()
}

/// Takes a change out of the numbers of open and done records.
fn before(change: &Change, open: &mut u64, done: &mut u64) {
    let plan = &change.plan;
    let number = |standing, wanted| u64::from(standing == Some(wanted));
    for (count, wanted) in [(open, Standing::Open), (done, Standing::Done)] {
        *count = count.saturating_sub(number(plan.now, wanted)) + number(plan.was, wanted);
    }
}

/// Adds a change to the sums of open and done records.
fn add(change: &Change, sums: &mut [i64; 2]) {
    let plan = &change.plan;
    for (sum, wanted) in sums.iter_mut().zip([Standing::Open, Standing::Done]) {
        *sum += i64::from(plan.now == Some(wanted)) - i64::from(plan.was == Some(wanted));
    }
}

/// The records that were open and done after the last change of a past that began with an empty plan; `None` without such a past.
fn at_the_end_of_the_past(snapshot: &Snapshot, collection: Collection) -> Option<(u64, u64)> {
    let mut sums = [0_i64; 2];
    for change in snapshot.history.activity.whole_past()? {
        if change.plan.collection == collection && moves(change) {
            add(change, &mut sums);
        }
    }
    let [open, done] = sums.map(|sum| u64::try_from(sum).unwrap_or_default());
    Some((open, done))
}

/// The records that are open and done now, without those whose status follows from the boxes of their tasks.
fn now(snapshot: &Snapshot, collection: Collection) -> (u64, u64) {
    let (mut open, mut done) = (0, 0);
    for (_, standing) in counted(snapshot.records(collection)) {
        match standing {
            Standing::Open => open += 1,
            Standing::Done => done += 1,
            Standing::GivenUp => {}
        }
    }
    (open, done)
}

/// The records that are counted, each with where it stands.
fn counted(records: &Records) -> impl Iterator<Item = (usize, Standing)> {
    let is_computed = |position: usize| {
        let is_of_format = records.range(position).is_none();
        is_of_format && records.record(position).is_some_and(|record| record.follows_from_boxes())
    };
    let standing = |position| (position, records.standing(count_u32(position)));
    (0..records.len()).filter(move |position| !is_computed(*position)).map(standing)
}

/// The stays, collected from the newest change to the oldest.
struct Stays<'a> {
    kind: Kind,
    /// When each record left the status that it has before the changes that were visited; `None` if that is not known exactly.
    ends: HashMap<&'a str, Option<SystemTime>>,
    seconds: HashMap<String, Vec<u64>>,
    unknown: u64,
}

impl<'a> Stays<'a> {
    fn new(kind: Kind) -> Self {
        Self { kind, ends: HashMap::new(), seconds: HashMap::new(), unknown: 0 }
    }

    /// A change of a status: the stay in the new one begins, and that in the old one ends.
    fn change(&mut self, change: &'a Change) {
        let plan = &change.plan;
        let at = is_exact(change.how).then_some(change.at);
        let end = self.ends.remove(plan.id.as_str());
        if let (Some(end), Some(status)) = (end, &plan.after) {
            let length = at.zip(end).and_then(|(at, end)| end.duration_since(at).ok());
            match length {
                Some(length) => self.stayed(status, length),
                None => self.unknown += 1,
            }
        }
        if plan.before.is_some() {
            self.ends.insert(&plan.id, at);
        }
    }

    fn stayed(&mut self, status: &str, length: Duration) {
        let status = canonical(self.kind, status_field(self.kind), status);
        self.seconds.entry(status).or_default().push(length.as_secs());
    }

    /// The record had another id before.
    fn rename(&mut self, change: &'a Change) {
        let (Some(former), id) = (&change.plan.before, &change.plan.id) else { return };
        if let Some(end) = self.ends.remove(id.as_str()) {
            self.ends.insert(former, end);
        }
    }

    fn finish(self) -> (Vec<Stay>, u64) {
        let stay = |(status, mut seconds): (String, Vec<u64>)| {
            seconds.sort_unstable();
            let n = seconds.len();
            // The smallest that is at least as long as so many hundredths of all.
            let at = |hundredths: usize| seconds[(n * hundredths).div_ceil(100).max(1) - 1];
            Stay { status, p50_seconds: at(MEDIAN), p85_seconds: at(LONG), n }
        };
        let mut stays: Vec<Stay> = self.seconds.into_iter().map(stay).collect();
        stays.sort_by(|one, other| other.n.cmp(&one.n).then_with(|| one.status.cmp(&other.status)));
        stays.truncate(MOST_STATUSES);
        // Their beginning is older than all known changes.
        (stays, self.unknown + self.ends.len() as u64)
    }
}

/// Whether the time of a change is when it was made.
fn is_exact(how: How) -> bool {
    matches!(how, How::Watched | How::Git)
}
