//! The options of all lists: words, order, page, fields, facets.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::json::{Json, Text};
use super::names;
use super::query::Parameters;
use super::records::is_absent;
use super::tally;
use super::time::{self, Moment};

/// The last second that 64 bits of nanoseconds hold, and the first.
pub(super) const EDGE: i64 = 9_223_372_036;

/// A collection that is listed.
pub(super) struct Listed<'a> {
    /// All records as they are served, in the order of the file.
    pub(super) all: Vec<Json>,
    /// Which of them match all filters.
    pub(super) matching: Vec<bool>,
    /// The fields that words are searched in.
    pub(super) searched: &'a [&'a str],
    /// The key under which a record is counted.
    pub(super) key: &'a dyn Fn(&Json, &str) -> String,
    /// Whether the last record comes first.
    pub(super) is_reversed: bool,
    /// How many values of a field have names in counts; the others come after them in facets, as they are found.
    pub(super) names: usize,
}

/// A list as it is answered.
pub(super) struct Given {
    pub(super) list: Vec<Json>,
    pub(super) total: usize,
    pub(super) facets: Option<Json>,
    /// All that match, in the order of the file.
    pub(super) matches: Vec<Json>,
}

/// A page: its size, and the number of records before it.
#[derive(Clone, Copy)]
pub(super) struct Page {
    pub(super) limit: usize,
    pub(super) offset: usize,
}

impl Page {
    pub(super) fn read(asked: &Parameters) -> Option<Self> {
        let (limit, offset) = (asked.number("limit"), asked.number("offset"));
        let is_paged = limit.is_some() || offset.is_some();
        is_paged.then(|| Self { limit: limit.unwrap_or(100), offset: offset.unwrap_or(0) })
    }

    pub(super) fn members(self, given: &Given) -> Vec<(&'static str, Json)> {
        let end = self.offset.saturating_add(given.list.len());
        let is_more = self.limit > 0 && end < given.total && self.offset < given.total;
        vec![
            ("total", Json::count(given.total)),
            ("limit", Json::count(self.limit)),
            ("offset", Json::count(self.offset)),
            ("next_offset", if is_more { Json::count(end) } else { Json::Null }),
        ]
    }
}

/// Reports the fields to sort by or to return that are not documented and that no record has.
pub(super) fn note_unknown(asked: &mut Parameters, all: &[Json], documented: &str) {
    let is_known =
        |name: &str| names::has(documented, name) || all.iter().any(|one| one.get(name).is_some());
    for parameter in ["sort", "fields"] {
        let is_sort = parameter == "sort";
        let name =
            |text: &String| if is_sort { direction(text).0.to_owned() } else { text.clone() };
        if !asked.all(parameter).iter().map(name).all(|name| is_known(&name)) {
            asked.wrong.push(parameter.to_owned());
        }
    }
}

impl Listed<'_> {
    /// The answer to the request.
    pub(super) fn give(&self, asked: &Parameters, page: Option<Page>) -> Given {
        let keys: Vec<(&str, bool)> = asked.all("sort").iter().map(|key| direction(key)).collect();
        let found = self.all.iter().zip(&self.matching).filter(|(_, matches)| **matches);
        let mut found: Vec<&Json> =
            found.map(|(one, _)| one).filter(|one| self.has_words(one, asked)).collect();
        let facets = self.facets(&found, asked.all("facets"));
        let matches = found.iter().map(|one| (*one).clone()).collect();
        if self.is_reversed {
            found.reverse();
        }
        found.sort_by(|one, other| {
            let orders = keys.iter().map(|(name, falling)| compare(one, other, (name, *falling)));
            orders.fold(Ordering::Equal, Ordering::then)
        });
        let total = found.len();
        let on_page = page.map_or((0, total), |page| (page.offset, page.limit));
        let list = found.into_iter().skip(on_page.0).take(on_page.1);
        let list = list.map(|one| reduced(one, asked.all("fields"))).collect();
        Given { list, total, facets, matches }
    }

    fn has_words(&self, one: &Json, asked: &Parameters) -> bool {
        let text = asked.one("q").unwrap_or_default();
        let has = |word: &str| {
            let texts = self.searched.iter().filter_map(|name| one.get(name)?.plain());
            let mut lowered = texts.map(lower);
            lowered.any(|text| text.contains(&lower(word)))
        };
        text.split_whitespace().all(has)
    }

    /// How often each value of the fields occurs among records, the most frequent first.
    pub(super) fn facets(&self, found: &[&Json], fields: &[String]) -> Option<Json> {
        let mut names: Vec<&String> = fields.iter().collect();
        names.sort();
        names.dedup();
        if names.is_empty() {
            return None;
        }
        let facet = |name: &&String| {
            let all = || self.all.iter().map(|one| (self.key)(one, name));
            let indexed = tally::named(all(), self.names);
            let unnamed = found.iter().map(|one| (self.key)(one, name));
            let unnamed = unnamed.filter(|key| !indexed.contains(key));
            let first = all().filter(|key| indexed.contains(key));
            let order = tally::count(&[], first.chain(unnamed));
            let here = tally::count(&[], found.iter().map(|one| (self.key)(one, name)));
            let here: HashMap<String, usize> = here.into_iter().collect();
            let order = order.into_iter().map(|(key, _)| key);
            let mut counts: Vec<(String, usize)> =
                order.filter_map(|key| here.get(&key).map(|count| (key.clone(), *count))).collect();
            counts.sort_by(|(_, one), (_, other)| other.cmp(one));
            (Text::made(name), tally::json(&counts))
        };
        Some(Json::Map(names.iter().map(facet).collect()))
    }
}

fn direction(key: &str) -> (&str, bool) {
    key.strip_prefix('-').map_or((key, false), |name| (name, true))
}

fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

fn reduced(one: &Json, fields: &[String]) -> Json {
    let (Json::Map(members), false) = (one, fields.is_empty()) else { return one.clone() };
    let is_asked = |key: &Text| fields.iter().any(|field| key.is(field));
    Json::Map(members.iter().filter(|(key, _)| is_asked(key)).cloned().collect())
}

/// The sort key of a value: numbers, then times, then other text.
enum Sorted {
    Number(f64),
    Time(Moment),
    Text(String),
}

fn sorted(one: &Json, name: &str) -> Option<Sorted> {
    let value = one.get(name).filter(|value| !is_absent(name, value))?;
    Some(match value {
        Json::Number(text) => Sorted::Number(text.parse().unwrap()),
        Json::Text(text) => {
            let plain = text.plain.as_deref().expect("such records are skipped");
            match time::read(plain) {
                Some(moment) => Sorted::Time(within(moment)),
                None => Sorted::Text(plain.to_owned()),
            }
        }
        other => Sorted::Text(other.compact()),
    })
}

/// Times are compared in nanoseconds of 64 bits.
fn within(Moment(seconds, fraction): Moment) -> Moment {
    if seconds.abs() >= EDGE {
        return Moment(seconds.clamp(-EDGE, EDGE), String::new());
    }
    let digits: String = fraction.chars().take(9).collect();
    Moment(seconds, digits.trim_end_matches('0').to_owned())
}

fn compare(one: &Json, other: &Json, (name, falling): (&str, bool)) -> Ordering {
    let class = |value: &Sorted| match value {
        Sorted::Number(_) => 0,
        Sorted::Time(_) => 1,
        Sorted::Text(_) => 2,
    };
    let order = match (sorted(one, name), sorted(other, name)) {
        (None, None) => return Ordering::Equal,
        (None, Some(_)) => return Ordering::Greater,
        (Some(_), None) => return Ordering::Less,
        (Some(Sorted::Number(one)), Some(Sorted::Number(other))) => {
            one.partial_cmp(&other).unwrap()
        }
        (Some(Sorted::Time(one)), Some(Sorted::Time(other))) => one.cmp(&other),
        (Some(Sorted::Text(one)), Some(Sorted::Text(other))) => one.cmp(&other),
        (Some(one), Some(other)) => class(&one).cmp(&class(&other)),
    };
    if falling { order.reverse() } else { order }
}

pub(super) mod fields {
    //! The documented fields of each kind, separated by white space, and those that words are searched in.

    pub(crate) const STORY: &str = "
        id title name description status epic_id owner priority estimate acceptance_criteria created_at updated_at
        started_at completed_at blocked_at blocked_reason depends_on ready waits_for";
    pub(crate) const EPIC: &str = "
        id title name description status owner goal created_at updated_at started_at completed_at stories declared
        progress story_ids";
    pub(crate) const SESSION: &str = "
        id nickname name title agent status path branch story_id started_at last_active created_at updated_at ended_at
        closed_at active";
    pub(crate) const TASK: &str = "
        id title name description state story_id subagent_type parent depends_on created_at updated_at started_at
        completed_at failed_at blocked_at blocked_reason result error ready waits_for";
    pub(crate) const MESSAGE: &str = "id timestamp from to type story_id message text title";
    pub(crate) const SEARCHED: &[&str] = &["id", "title", "name", "description", "text"];
    pub(crate) const SEARCHED_OF_SESSION: &[&str] =
        &["id", "nickname", "title", "name", "description", "text"];
    pub(crate) const SEARCHED_OF_MESSAGE: &[&str] =
        &["id", "title", "message", "text", "description"];
}
