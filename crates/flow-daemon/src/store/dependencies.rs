//! The dependencies between the records of a collection: `ready`, `waits_for`, and which record waits for which.
//!
//! [`crate::model::dependency`] defines them; this module applies the definitions to one state of a file.

use std::collections::HashMap;

use crate::model::cycles;
use crate::model::dependency::{Dependencies as Named, Resolver};
use crate::model::json;
use crate::model::names::plain;
use crate::model::problem::{KEPT, Suspicion, Suspicions, cut, quote};
use crate::model::similar;

use super::index::Index;
use super::postings::count_u32;

/// The records that name dependencies.
#[derive(Debug, Default)]
pub struct Dependencies {
    /// By position, ascending.
    entries: Vec<Entry>,
    /// Pairs of the positions of a record and of one that depends on it, ascending.
    needed_by: Vec<(u32, u32)>,
}

/// The dependencies of one record.
#[derive(Debug)]
pub struct Entry {
    /// The position of the record.
    pub position: u32,
    /// The records that it depends on, in its own order; empty where it names reasons only.
    needs: Box<[Need]>,
    /// The texts that are not ids.
    pub reasons: Vec<String>,
    /// The first element that is not read, as it is on disk.
    unread: Option<Box<str>>,
}

/// One dependency.
#[derive(Debug)]
enum Need {
    /// A record of the collection, by position.
    Known(u32),
    /// An id that no record has.
    Unknown(Box<str>),
}

impl Need {
    /// The id that no record has.
    fn unknown(&self) -> Option<&str> {
        match self {
            Self::Known(_) => None,
            Self::Unknown(id) => Some(id),
        }
    }

    /// The position of the needed record, if there is one.
    fn known(&self) -> Option<u32> {
        match self {
            Self::Known(position) => Some(*position),
            Self::Unknown(_) => None,
        }
    }
}

impl Dependencies {
    /// Reads the dependencies of the records at these positions, which must ascend.
    pub(super) fn read(records: &Index, positions: &[u32]) -> Self {
        let known = Resolver::new(records);
        let read = |position: &u32| {
            let record = records.record(*position as usize)?;
            let named = Named::read(&record, &known);
            let need = |id: String| match records.position(&id) {
                Some(position) => Need::Known(count_u32(position)),
                None => Need::Unknown(id.into()),
            };
            let needs: Box<[Need]> = named.ids.into_iter().map(need).collect();
            let is_empty = needs.is_empty() && named.reasons.is_empty() && named.unread.is_none();
            let unread = named.unread.map(String::into_boxed_str);
            let entry = Entry { position: *position, needs, reasons: named.reasons, unread };
            (!is_empty).then_some(entry)
        };
        let entries: Vec<Entry> = positions.iter().filter_map(read).collect();
        let known = |entry: &Entry| {
            let by = entry.position;
            let known = entry.needs.iter().filter_map(Need::known).map(move |need| (need, by));
            known.collect::<Vec<_>>()
        };
        let mut needed_by: Vec<(u32, u32)> = entries.iter().flat_map(known).collect();
        needed_by.sort_unstable();
        Self { entries, needed_by }
    }

    fn entry(&self, position: u32) -> Option<&Entry> {
        let at = self.entries.binary_search_by_key(&position, |entry| entry.position).ok()?;
        self.entries.get(at)
    }

    /// The dependencies of the record at a position; `None` if it names none.
    pub fn of(&self, position: u32) -> Option<&Entry> {
        self.entry(position).filter(|entry| !entry.needs.is_empty())
    }

    /// The reasons, as opposed to ids, that the record at a position names.
    pub fn reasons(&self, position: u32) -> &[String] {
        self.entry(position).map_or(&[], |entry| &entry.reasons)
    }

    /// The dependencies of open records that name no record, or are not read.
    pub fn suspicions(&self, records: &Index) -> Suspicions<usize> {
        let unknown =
            |entry: &Entry| entry.needs.iter().filter(|need| need.known().is_none()).count();
        let reports = |entry: &Entry| unknown(entry) + usize::from(entry.unread.is_some());
        let of_open = self.entries.iter().filter(|entry| records.is_open(entry.position));
        let suspected: Vec<&Entry> = of_open.filter(|entry| reports(entry) > 0).collect();
        let count = suspected.iter().map(|entry| reports(entry)).sum::<usize>() as u64;
        if count == 0 {
            return Suspicions { count, list: Vec::new() };
        }
        let nearest = Nearest::new(records.ids());
        let noun = records.kind().noun();
        // Each has a report, and only so many are kept.
        let newest = &suspected[suspected.len().saturating_sub(KEPT)..];
        let mut list = Vec::new();
        for entry in newest {
            let mut add = |reason| {
                list.push(Suspicion { record: Some(entry.position as usize), reason });
            };
            for id in entry.needs.iter().filter_map(Need::unknown) {
                let meant = nearest.find(id).map(|id| format!("; is {} meant?", quote(id)));
                let meant = meant.unwrap_or_default();
                add(format!("it depends on {}, but no {noun} has this id{meant}", quote(id)));
            }
            if let Some(raw) = &entry.unread {
                add(format!("an entry of its dependencies is not read: {}; write an id", cut(raw)));
            }
        }
        Suspicions { count, list }
    }

    /// The ids that the record at a position waits for: all its dependencies that are not done.
    pub fn waits_for<'a>(&'a self, records: &'a Index, position: u32) -> Vec<&'a str> {
        let needs = self.entry(position).map_or(&[][..], |entry| &entry.needs);
        let open = |need: &'a Need| match need {
            Need::Known(position) if records.is_done(*position) => None,
            Need::Known(position) => records.id(*position),
            Need::Unknown(id) => Some(id.as_ref()),
        };
        needs.iter().filter_map(open).collect()
    }

    /// Whether the record at a position is open and waits for nothing. False for a record that names no dependency.
    pub fn is_ready(&self, records: &Index, position: u32) -> bool {
        records.is_open(position) && self.waits_for(records, position).is_empty()
    }

    /// The computed members of the record at a position, as JSON without braces; `None` if it names no dependency.
    pub fn members(&self, records: &Index, position: usize) -> Option<Vec<u8>> {
        let position = count_u32(position);
        self.of(position)?;
        let waits_for = self.waits_for(records, position);
        let is_ready = self.is_ready(records, position);
        let mut text = format!("\"ready\":{is_ready},\"waits_for\":[").into_bytes();
        for (at, id) in waits_for.into_iter().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            json::write_string(id, &mut text);
        }
        text.push(b']');
        Some(text)
    }

    /// The open records that wait for the record at a position, at most `most`, in the order of the file.
    pub fn holds_up<'a>(&self, records: &'a Index, position: u32, most: usize) -> Vec<&'a str> {
        let first = self.needed_by.partition_point(|(need, _)| *need < position);
        let pairs = self.needed_by.get(first..).unwrap_or_default().iter();
        let held = pairs.take_while(|(need, _)| *need == position).map(|(_, by)| *by);
        let open = held.filter(|by| records.is_open(*by)).take(most);
        open.filter_map(|by| records.id(by)).collect()
    }

    /// The cycles among open records ([`cycles::of`]): lists of ids, each of which waits for the next.
    pub fn cycles<'a>(&self, records: &'a Index) -> Vec<Vec<&'a str>> {
        let open: Vec<&Entry> =
            self.entries.iter().filter(|entry| records.is_open(entry.position)).collect();
        let place = |position: &u32| open.binary_search_by_key(position, |entry| entry.position);
        let needs = |entry: &&Entry| {
            let known = entry.needs.iter().filter_map(Need::known);
            known.filter_map(|need| place(&need).ok()).collect()
        };
        let needs: Vec<Vec<usize>> = open.iter().map(needs).collect();
        let ids = |cycle: Vec<usize>| {
            cycle.into_iter().filter_map(|at| records.id(open.get(at)?.position)).collect()
        };
        cycles::of(&needs).into_iter().map(ids).collect()
    }
}

/// Largest number of ids that one unknown id is compared with.
const COMPARED: usize = 1000;

/// Finds the id that a misspelled one may stand for: one with the same number and similar letters. A neighbouring number
/// would be a guess.
pub(super) struct Nearest<'a> {
    by_number: HashMap<String, Vec<&'a str>>,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(ids: impl Iterator<Item = &'a str>) -> Self {
        let mut by_number: HashMap<String, Vec<&'a str>> = HashMap::new();
        for id in ids {
            let ids = by_number.entry(number(id)).or_default();
            if ids.len() < COMPARED {
                ids.push(id);
            }
        }
        Self { by_number }
    }

    /// The id that is the same but for letter case, separators, and zeros before its numbers.
    pub(super) fn same(&self, id: &str) -> Option<&'a str> {
        let mut ids = self.by_number.get(&number(id))?.iter();
        ids.find(|other| letters(other) == letters(id) && numbers(other).eq(numbers(id))).copied()
    }

    fn find(&self, id: &str) -> Option<&'a str> {
        let letters = letters(id);
        let distance = |other: &&&str| similar::distance(&letters, &self::letters(other));
        let found = self.by_number.get(&number(id))?.iter().min_by_key(distance)?;
        (distance(&found) <= 2).then_some(*found)
    }
}

/// The digits of an id, without zeros at the beginning.
fn number(id: &str) -> String {
    let digits: String = id.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').to_owned()
}

/// The numbers of an id, without zeros at their beginnings: `US-1-2` has two.
fn numbers(id: &str) -> impl Iterator<Item = &str> {
    let numbers = id.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    numbers.map(|number| number.trim_start_matches('0'))
}

/// An id without its digits and separators, in lower case.
fn letters(id: &str) -> String {
    plain(id).chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::Nearest;

    #[test]
    fn another_spelling_of_an_id_has_the_same_numbers() {
        let nearest = Nearest::new(["US-0012", "EP-1"].into_iter());
        assert_eq!(nearest.same("us12"), Some("US-0012"));
        assert_eq!(nearest.same("EP-001"), Some("EP-1"));
        assert_eq!(nearest.same("US-1-2"), None);
        assert_eq!(nearest.same("US-120"), None);
    }
}
