//! The options that all lists share: search words, sorting, page, fields and facets. It knows neither records nor the
//! log.

use std::cmp::Ordering;

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::model::json;
use crate::model::record::{Kind, Record};
use crate::model::time::{self, Edge};
use crate::routes::{DEFAULT_LIMIT, LARGEST_LIMIT, MOST_FACET_VALUES};
use crate::store::metrics::Tally;

use super::body::Object;
use super::query::Query;

/// Longest `Link` header, in bytes; a longer one is omitted. Each of its links repeats the query.
const LONGEST_LINK: usize = 16 * 1024;
/// Expected bytes of a link's query, and of a link in addition to its path and query; only initial capacities depend on
/// it.
const USUAL_TARGET: usize = 64;

/// A body, and the links to the other pages if it is one page of several.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) body: Bytes,
    /// Value of the `Link` header.
    pub(super) link: Option<Bytes>,
}

impl From<Bytes> for Answer {
    fn from(body: Bytes) -> Self {
        Self { body, link: None }
    }
}

/// The requested part of the matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) limit: u64,
    pub(super) offset: u64,
}

impl Page {
    /// The page of a list that always has pages, if the query names none.
    pub(super) const DEFAULT: Self = Self { limit: DEFAULT_LIMIT, offset: 0 };

    /// The page that a query requests; `None` if it requests all matches.
    pub(super) fn read(query: &Query) -> Option<Self> {
        let number = |name| query.value(name).and_then(|text| text.parse().ok());
        let (limit, offset): (Option<u64>, Option<u64>) = (number("limit"), number("offset"));
        limit.or(offset)?;
        Some(Self {
            limit: limit.unwrap_or(Self::DEFAULT.limit).min(LARGEST_LIMIT),
            offset: offset.unwrap_or(Self::DEFAULT.offset),
        })
    }

    /// Largest number of entries on the page.
    pub(super) fn size(self) -> usize {
        usize::try_from(self.limit).unwrap_or(usize::MAX)
    }

    /// The entries on the page.
    pub(super) fn of<T>(self, all: &[T]) -> &[T] {
        let offset = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let rest = all.get(offset..).unwrap_or_default();
        rest.get(..self.size()).unwrap_or(rest)
    }

    /// Offset of the next page, if there is one.
    pub(super) fn next(self, total: u64) -> Option<u64> {
        let left = total.saturating_sub(self.offset);
        let next = self.offset.saturating_add(self.limit);
        (self.limit > 0 && left > self.limit).then_some(next)
    }

    /// Adds the position of the page among `total`.
    pub(super) fn describe(self, object: Object, total: u64) -> Object {
        object
            .value("total", &total)
            .value("limit", &self.limit)
            .value("offset", &self.offset)
            .value("next_offset", &self.next(total))
    }

    /// The links to the other pages of `path`.
    pub(super) fn links(self, path: &str, query: &Query, total: u64) -> Option<Bytes> {
        if self.limit == 0 {
            return None;
        }
        let last = total.saturating_sub(1) / self.limit * self.limit;
        let before = self.offset.saturating_sub(self.limit).min(last);
        let to = |offset: u64| Target::Page(Self { offset, ..self });
        link(
            path,
            query,
            &[
                ("first", Some(to(0))),
                ("prev", (self.offset > 0).then(|| to(before))),
                ("next", self.next(total).map(to)),
                ("last", Some(to(last))),
            ],
        )
    }
}

/// The target of a link. It is written without `format!`, since each page has up to four links.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target<'a> {
    Page(Page),
    Cursor { limit: Option<&'a str>, cursor: &'a str },
}

impl Target<'_> {
    fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Page(Page { limit, offset }) => {
                out.extend_from_slice(b"limit=");
                json::write_number(limit, out);
                out.extend_from_slice(b"&offset=");
                json::write_number(offset, out);
            }
            Self::Cursor { limit, cursor } => {
                if let Some(limit) = limit {
                    write_all(["limit=", limit, "&"], out);
                }
                write_all(["cursor=", cursor], out);
            }
        }
    }
}

fn write_all<const N: usize>(parts: [&str; N], out: &mut Vec<u8>) {
    for part in parts {
        out.extend_from_slice(part.as_bytes());
    }
}

/// The name of a relation, and where it leads if there is such a page.
pub(super) type Relation<'a> = (&'static str, Option<Target<'a>>);

/// Characters of a query that a link contains unescaped.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The `Link` header (RFC 8288) with these relations.
pub(super) fn link(path: &str, query: &Query, relations: &[Relation<'_>]) -> Option<Bytes> {
    let is_kept = |name: &str| !matches!(name, "limit" | "offset" | "cursor");
    let mut text = Vec::with_capacity(relations.len() * (path.len() + USUAL_TARGET));
    write_all(["<", path, "?"], &mut text);
    for (name, mark, value) in query.pairs().filter(|(name, ..)| is_kept(name)) {
        // One by one, since a value may contain commas.
        write_all([name, mark, "="], &mut text);
        let parts = utf8_percent_encode(value, PLAIN);
        parts.for_each(|part| text.extend_from_slice(part.as_bytes()));
        text.push(b'&');
    }
    // Each link begins with this.
    let begin = text.len();
    for (relation, target) in relations {
        let Some(target) = target else { continue };
        if text.len() > begin {
            text.extend_from_slice(b", ");
            text.extend_from_within(..begin);
        }
        target.write(&mut text);
        write_all([">; rel=\"", relation, "\""], &mut text);
    }
    (begin + 1..=LONGEST_LINK).contains(&text.len()).then(|| text.into())
}

/// The options of a list besides filters and page.
#[derive(Debug)]
pub(super) struct Shape<'q> {
    /// The search words, in lower case.
    words: Vec<String>,
    keys: Vec<SortKey<'q>>,
    fields: &'q [String],
    pub(super) facets: &'q [String],
}

#[derive(Debug)]
struct SortKey<'q> {
    field: &'q str,
    direction: Direction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Ascending,
    Descending,
}

impl<'q> Shape<'q> {
    pub(super) fn read(query: &'q Query) -> Self {
        let words = query.value("q").unwrap_or_default().split_whitespace();
        let key = |text: &'q String| match text.strip_prefix('-') {
            Some(field) => SortKey { field, direction: Direction::Descending },
            None => SortKey { field: text, direction: Direction::Ascending },
        };
        Self {
            words: words.map(lower).collect(),
            keys: query.values("sort").iter().map(key).collect(),
            fields: query.values("fields"),
            facets: query.values("facets"),
        }
    }

    pub(super) fn is_searched(&self) -> bool {
        !self.words.is_empty()
    }

    pub(super) fn is_sorted(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Whether records are reduced to some of their fields.
    pub(super) fn is_reduced(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Whether a record contains all search words; `text` is the record as it is served or in its file.
    pub(super) fn finds(&self, kind: Kind, text: &str) -> bool {
        // Without escapes each value occurs literally in the text, so that most records need not be parsed.
        if !text.contains('\\') {
            let lowered = lower(text);
            if !self.words.iter().all(|word| lowered.contains(word)) {
                return false;
            }
        }
        let Ok(record) = Record::read(kind, text) else { return false };
        let texts = kind.searched().iter().filter_map(|name| record.text(&[name]));
        let texts: Vec<String> = texts.map(|text| lower(&text)).collect();
        self.words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    }

    /// Sorts by the requested keys; the sort is stable. `text` returns the text of a record.
    pub(super) fn sort<T: Copy>(&self, kind: Kind, all: &mut [T], text: impl Fn(T) -> Bytes) {
        if self.keys.is_empty() {
            return;
        }
        let ranks = |one: T| {
            let text = text(one);
            let record = std::str::from_utf8(&text).ok().and_then(|t| Record::read(kind, t).ok());
            let rank = |key: &SortKey<'_>| {
                record.as_ref().map_or(Rank::None, |record| Rank::of(record, key.field))
            };
            self.keys.iter().map(rank).collect::<Vec<Rank>>()
        };
        let mut ranked: Vec<(Vec<Rank>, T)> = all.iter().map(|one| (ranks(*one), *one)).collect();
        ranked.sort_by(|(one, _), (other, _)| self.compare(one, other));
        for (place, (_, one)) in all.iter_mut().zip(ranked) {
            *place = one;
        }
    }

    fn compare(&self, one: &[Rank], other: &[Rank]) -> Ordering {
        let pairs = self.keys.iter().zip(one.iter().zip(other));
        let orders = pairs.map(|(key, (one, other))| one.compare(other, key.direction));
        orders.fold(Ordering::Equal, Ordering::then)
    }

    /// Writes a record, complete or reduced to the requested fields.
    pub(super) fn write(&self, served: &[u8], out: &mut Vec<u8>) {
        let text = std::str::from_utf8(served).ok().filter(|_| self.is_reduced());
        let Some(members) = text.and_then(|text| json::members(text).ok()) else {
            return out.extend_from_slice(served);
        };
        out.push(b'{');
        let is_asked = |name: &str| self.fields.iter().any(|field| field == name);
        for (at, member) in members.list.iter().filter(|m| is_asked(&m.name)).enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.extend_from_slice(member.key.as_bytes());
            out.push(b':');
            out.extend_from_slice(member.value.as_bytes());
        }
        out.push(b'}');
    }
}

/// The sort key of a field's value: numbers before times before other text; records without a value come last in both
/// directions.
#[derive(Debug, PartialEq, PartialOrd)]
enum Rank {
    Number(f64),
    /// Nanoseconds since 1970.
    Time(i64),
    Text(String),
    None,
}

impl Rank {
    fn of(record: &Record<'_>, field: &str) -> Self {
        let Some(raw) = record.field(field) else { return Self::None };
        if matches!(raw.as_bytes().first(), Some(b'-' | b'0'..=b'9')) {
            return raw.parse().map_or(Self::None, Self::Number);
        }
        let Some(word) = json::word(raw) else { return Self::None };
        let time = if raw.starts_with('"') { time::parse(&word, Edge::Start) } else { None };
        time.map_or_else(|| Self::Text(word.into_owned()), Self::Time)
    }

    fn compare(&self, other: &Self, direction: Direction) -> Ordering {
        let order = self.partial_cmp(other).unwrap_or(Ordering::Equal);
        let is_missing = *self == Self::None || *other == Self::None;
        if is_missing || direction == Direction::Ascending { order } else { order.reverse() }
    }
}

/// Lowercases each character by itself, so that a part of a text lowercases in the same way alone and within it.
fn lower(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Counts of the matches by the values of some fields.
#[derive(Debug, Default)]
pub(super) struct Facets {
    counts: Map<String, Value>,
    left_out: Map<String, Value>,
}

impl Facets {
    /// Adds a field: its most frequent values, of equally frequent ones the first in the file.
    pub(super) fn add(&mut self, field: &str, counts: &Tally<'_>) {
        let mut counts: Vec<(&str, usize)> =
            counts.iter().filter(|(_, count)| **count > 0).map(|(v, count)| (*v, *count)).collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let left_out = counts.len().saturating_sub(MOST_FACET_VALUES);
        counts.truncate(MOST_FACET_VALUES);
        let counts = counts.into_iter().map(|(value, count)| (value.to_owned(), count.into()));
        self.counts.insert(field.to_owned(), Value::Object(counts.collect()));
        if left_out > 0 {
            self.left_out.insert(field.to_owned(), left_out.into());
        }
    }

    /// The values of the only field, the most frequent first.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        let counts = self.counts.values().filter_map(Value::as_object);
        counts.flat_map(|counts| counts.keys().map(String::as_str))
    }

    /// Adds the counts to an answer, if any were requested.
    pub(super) fn describe(&self, object: Object) -> Object {
        if self.counts.is_empty() {
            return object;
        }
        let object = object.value("facets", &self.counts);
        if self.left_out.is_empty() {
            return object;
        }
        object.value("facets_left_out", &self.left_out)
    }
}

/// Adds counts to those of a field.
pub(super) fn tally<'a>(counts: &mut Tally<'a>, more: impl Iterator<Item = (&'a str, usize)>) {
    for (value, count) in more {
        *counts.entry(value).or_default() += count;
    }
}
