//! Pairs the records of two states. Ids come last in the plans of other tools: the number of a box or the name of a folder may stand
//! for another record. In the four files, each record has an id that its writer gave it; another one is paired with it only if it
//! has the same text and nothing else has.
//!
//! The order: what the format says was moved; the same id and text; the same text in the same group (the story of a task, the
//! epic of a story); the same id and a similar text; the same text anywhere, if it is the only one; stories by where their tasks
//! went; a similar text in the same group; the same id.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use crate::model::record::{Kind, Record};
use crate::model::wording::{self, Wording};

/// Fewest words of a text that is recognised in another group: shorter ones, such as "Write tests", are in many.
const FEWEST_WORDS: usize = 3;

/// A record that differs between the two states.
#[derive(Debug)]
pub(super) struct Unit<'a> {
    pub(super) position: usize,
    pub(super) id: &'a str,
    pub(super) record: Record<'a>,
    /// The id without the name of its format, which precedes it only where several sources are read.
    pub(super) local: String,
    /// That of the state before its file was moved as the tool of its format moves it.
    former: Option<String>,
    /// The local id of the story of a task, or of the epic of a story.
    pub(super) group: Option<String>,
    text: Wording,
}

impl<'a> Unit<'a> {
    pub(super) fn new(
        position: usize,
        id: &'a str,
        former: Option<&str>,
        record: Record<'a>,
    ) -> Self {
        let format = record.word("format").map(std::borrow::Cow::into_owned);
        let local = |id: &str| local(format.as_deref(), id).to_owned();
        let group = parent(&record);
        let text = record.text(record.kind().spellings("title")).or_else(|| record.title());
        Self {
            position,
            id,
            local: local(id),
            former: former.map(local),
            group: group.as_deref().map(local),
            text: Wording::of(&text.unwrap_or_default()),
            record,
        }
    }

    /// The id of the story of a task, or of the epic of a story.
    pub(super) fn parent(&self) -> Option<String> {
        parent(&self.record)
    }

    /// Whether it is a record of another tool's plan.
    fn is_of_format(&self) -> bool {
        self.record.member("format").is_some()
    }

    /// Whether its id is only its place in a list: `story#3`.
    pub(super) fn is_counted(&self) -> bool {
        let number = self.local.rsplit_once('#').map(|(_, number)| number);
        self.record.kind() == Kind::Task
            && self.is_of_format()
            && number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

fn parent(record: &Record<'_>) -> Option<String> {
    let member = match record.kind() {
        Kind::Task => "story_id",
        Kind::Story => "epic_id",
        Kind::Epic | Kind::Session | Kind::Message => return None,
    };
    record.word(member).map(std::borrow::Cow::into_owned)
}

/// An id without the name of its format.
pub(super) fn local<'a>(format: Option<&str>, id: &'a str) -> &'a str {
    let rest = format.and_then(|format| id.strip_prefix(format)?.strip_prefix(':'));
    rest.unwrap_or(id)
}

/// Which records are the same.
#[derive(Debug)]
pub(super) struct Pairs {
    /// For each record before, its number among those now.
    pub(super) of_left: Vec<Option<usize>>,
    /// The reverse.
    pub(super) of_right: Vec<Option<usize>>,
    /// Number of records of now that were too many to compare their texts with those before.
    pub(super) too_many: usize,
}

impl Pairs {
    /// Pairs what has the same id and text, or was moved as its format moves files.
    pub(super) fn of_ids(left: &[Unit<'_>], right: &[Unit<'_>]) -> Self {
        let (of_left, of_right) = (vec![None; left.len()], vec![None; right.len()]);
        let mut pairs = Self { of_left, of_right, too_many: 0 };
        pairs.join(left, right, |unit| Some(unit.local.clone()), |unit| unit.former.clone());
        let same = |unit: &Unit<'_>| Some((unit.local.clone(), unit.text.key()));
        pairs.join(left, right, same, same);
        pairs
    }

    /// Pairs what has the same text. `groups` has the names before of groups that have another one now.
    pub(super) fn by_text(
        &mut self,
        left: &[Unit<'_>],
        right: &[Unit<'_>],
        groups: &HashMap<String, String>,
    ) {
        let text = |unit: &Unit<'_>| (!unit.text.is_empty()).then(|| unit.text.key());
        let in_group = |unit: &Unit<'_>| text(unit).filter(|_| unit.is_of_format());
        let before = |unit: &Unit<'_>| Some((unit.group.clone(), in_group(unit)?));
        let now = |unit: &Unit<'_>| Some((named_before(unit, groups), in_group(unit)?));
        self.join(left, right, before, now);
        self.by_id(left, right, |one, two| {
            one.likeness(two) >= wording::ALIKE || one.is_kept_in(two)
        });
        let long = |unit: &Unit<'_>| text(unit).filter(|_| unit.text.len() >= FEWEST_WORDS);
        self.join_only(left, right, long);
    }

    /// Pairs what has a similar text in the same group, then what has the same id.
    pub(super) fn by_likeness(
        &mut self,
        left: &[Unit<'_>],
        right: &[Unit<'_>],
        groups: &HashMap<String, String>,
    ) {
        let mut free: HashMap<Option<String>, [Vec<usize>; 2]> = HashMap::new();
        let of_formats = |units: &[Unit<'_>], pairs: &[Option<usize>]| -> Vec<usize> {
            let is_free = |at: &usize| pairs[*at].is_none() && units[*at].is_of_format();
            (0..units.len()).filter(is_free).collect()
        };
        for at in of_formats(left, &self.of_left) {
            let unit = &left[at];
            free.entry(unit.group.clone()).or_default()[0].push(at);
        }
        for at in of_formats(right, &self.of_right) {
            let unit = &right[at];
            free.entry(named_before(unit, groups)).or_default()[1].push(at);
        }
        let texts =
            [left, right].map(|units| units.iter().map(|unit| &unit.text).collect::<Vec<_>>());
        for [one, two] in free.into_values() {
            match wording::alike([&texts[0], &texts[1]], [&one, &two]) {
                Some(pairs) => pairs.into_iter().for_each(|(before, now)| self.add(before, now)),
                None => self.too_many += two.len(),
            }
        }
        self.by_id(left, right, |_, _| true);
    }

    /// Pairs stories that have most of their tasks in common. `votes` has the number of tasks for each pair of stories.
    pub(super) fn by_parts(
        &mut self,
        left: &[Unit<'_>],
        right: &[Unit<'_>],
        votes: &HashMap<(String, String), usize>,
    ) {
        let numbers = |units: &[Unit<'_>]| -> HashMap<String, usize> {
            units.iter().enumerate().map(|(at, unit)| (unit.local.clone(), at)).collect()
        };
        let (before, now) = (numbers(left), numbers(right));
        let mut sorted: Vec<_> = votes.iter().collect();
        sorted.sort_by_key(|(names, count)| (std::cmp::Reverse(**count), (*names).clone()));
        for ((one, two), _) in sorted {
            // A story that is there in both states is its own.
            if let (Some(one), Some(two)) = (before.get(one), now.get(two))
                && one_is_gone(&now, left, *one)
                && one_is_gone(&before, right, *two)
                && self.of_left[*one].is_none()
                && self.of_right[*two].is_none()
            {
                self.add(*one, *two);
            }
        }
    }

    /// Number of records that are paired, by their groups before and now.
    pub(super) fn groups(
        &self,
        left: &[Unit<'_>],
        right: &[Unit<'_>],
    ) -> HashMap<(String, String), usize> {
        let mut votes = HashMap::new();
        for (before, now) in self.all() {
            if let (Some(one), Some(two)) = (&left[before].group, &right[now].group) {
                *votes.entry((one.clone(), two.clone())).or_insert(0) += 1;
            }
        }
        votes
    }

    /// The ids before of records that have another one now, by that.
    pub(super) fn renamed(&self, left: &[Unit<'_>], right: &[Unit<'_>]) -> HashMap<String, String> {
        let ids = self.all().map(|(one, two)| (right[two].local.clone(), left[one].local.clone()));
        ids.filter(|(now, before)| now != before).collect()
    }

    /// The pairs, in the order of the records before.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, usize)> {
        self.of_left.iter().enumerate().filter_map(|(before, now)| Some((before, (*now)?)))
    }

    /// Pairs those with the same id whose texts fulfil a condition. A place in a list is not an id.
    fn by_id(
        &mut self,
        left: &[Unit<'_>],
        right: &[Unit<'_>],
        fits: impl Fn(&Wording, &Wording) -> bool,
    ) {
        let number = |(at, unit): (usize, &Unit<'_>)| (unit.local.clone(), at);
        let now: HashMap<String, usize> = right.iter().enumerate().map(number).collect();
        for (before, unit) in left.iter().enumerate() {
            if self.of_left[before].is_none()
                && !unit.is_counted()
                && let Some(now) = now.get(&unit.local)
                && self.of_right[*now].is_none()
                && fits(&unit.text, &right[*now].text)
            {
                self.add(before, *now);
            }
        }
    }

    /// Pairs those with the same key, in their order.
    fn join<K: Eq + Hash>(
        &mut self,
        left: &[Unit<'_>],
        right: &[Unit<'_>],
        before: impl Fn(&Unit<'_>) -> Option<K>,
        now: impl Fn(&Unit<'_>) -> Option<K>,
    ) {
        let mut waiting: HashMap<K, VecDeque<usize>> = HashMap::new();
        for (at, unit) in right.iter().enumerate() {
            if self.of_right[at].is_none()
                && let Some(key) = now(unit)
            {
                waiting.entry(key).or_default().push_back(at);
            }
        }
        for (at, unit) in left.iter().enumerate() {
            if self.of_left[at].is_none()
                && let Some(key) = before(unit)
                && let Some(other) = waiting.get_mut(&key).and_then(VecDeque::pop_front)
            {
                self.add(at, other);
            }
        }
    }

    /// Pairs those whose key no other record has in its state.
    fn join_only(
        &mut self,
        left: &[Unit<'_>],
        right: &[Unit<'_>],
        key: impl Fn(&Unit<'_>) -> Option<String>,
    ) {
        let count = |units: &[Unit<'_>]| {
            let mut counts: HashMap<String, usize> = HashMap::new();
            units.iter().filter_map(&key).for_each(|key| *counts.entry(key).or_default() += 1);
            counts
        };
        let counts = [count(left), count(right)];
        let only = |unit: &Unit<'_>| {
            key(unit).filter(|key| counts.iter().all(|counts| counts.get(key) == Some(&1)))
        };
        self.join(left, right, only, only);
    }

    fn add(&mut self, before: usize, now: usize) {
        self.of_left[before] = Some(now);
        self.of_right[now] = Some(before);
    }
}

/// Whether the other state has no record with the id of this one.
fn one_is_gone(others: &HashMap<String, usize>, units: &[Unit<'_>], at: usize) -> bool {
    !others.contains_key(&units[at].local)
}

/// The name before of the group that a record is in now.
fn named_before(unit: &Unit<'_>, groups: &HashMap<String, String>) -> Option<String> {
    unit.group.as_ref().map(|group| groups.get(group).unwrap_or(group).clone())
}
