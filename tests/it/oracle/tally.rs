//! Spelling of statuses, keys of counts, and the counts.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::json::Json;
use super::records::is_absent;

pub(crate) const STORY_STATUSES: &[&str] =
    &["ready", "in-progress", "blocked", "in-review", "done"];
pub(crate) const TASK_STATES: &[&str] =
    &["queued", "running", "completed", "failed", "blocked", "cancelled"];

/// The word for finished work among stories, epics and sessions.
pub(crate) const DONE: &str = "done";
/// The word for finished work among tasks.
pub(crate) const COMPLETED: &str = "completed";

/// A status in its normalised spelling; finished ones become `finished`.
pub(crate) fn canonical(status: &str, finished: &str) -> String {
    let word = status.trim().to_lowercase().replace(['_', ' '], "-");
    match word.as_str() {
        "done" | "complete" | "completed" => finished.to_owned(),
        _ => word,
    }
}

/// The key under which a record is counted by one of its members.
pub(crate) fn key(record: &Json, name: &str) -> String {
    match record.get(name).filter(|value| !is_absent(name, value)) {
        None => "none".to_owned(),
        Some(Json::Text(text)) => text.plain.clone().expect("such records are skipped"),
        Some(other) => other.compact(),
    }
}

/// The key under which a record is counted by its status or state.
pub(crate) fn status_key(record: &Json, name: &str, finished: &str) -> String {
    match record.get(name).and_then(Json::plain) {
        Some(status) => canonical(status, finished),
        None => key(record, name),
    }
}

/// Counts of keys: those of `zero` first, then the others as they first appear.
pub(crate) fn count(zero: &[&str], keys: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> =
        zero.iter().map(|name| ((*name).to_owned(), 0)).collect();
    let mut places: HashMap<String, usize> =
        zero.iter().enumerate().map(|(at, name)| ((*name).to_owned(), at)).collect();
    for key in keys {
        let at = *places.entry(key.clone()).or_insert(counts.len());
        if at == counts.len() {
            counts.push((key, 0));
        }
        counts[at].1 += 1;
    }
    counts
}

/// How many values of a field of messages have names in counts.
pub(crate) const NAMES: usize = 65_536;
/// How many values a count names, besides those that it always names.
const NAMED: usize = 1000;

/// The values of a field of messages that have names in counts: the first ones, and `none`.
pub(crate) fn named(all: impl Iterator<Item = String>, most: usize) -> HashSet<String> {
    let mut named = HashSet::new();
    for key in all.filter(|key| key != "none") {
        if named.len() < most {
            named.insert(key);
        }
    }
    named.insert("none".to_owned());
    named
}

/// A count as served under a name: the most frequent keys besides those of `zero`, and how many records have other ones.
/// `unnamed` more records have keys without names.
pub(crate) fn members(
    [name, others]: [&'static str; 2],
    zero: &[&str],
    counts: &[(String, usize)],
    unnamed: usize,
) -> Vec<(&'static str, Json)> {
    let (always, found) = counts.split_at(zero.len());
    let mut by_count: Vec<usize> = (0..found.len()).collect();
    by_count.sort_by_key(|at| Reverse(found[*at].1));
    let are_shown: HashSet<usize> = by_count.into_iter().take(NAMED).collect();
    let (mut shown, mut rest) = (always.to_vec(), unnamed);
    for (at, (key, count)) in found.iter().enumerate() {
        if are_shown.contains(&at) {
            shown.push((key.clone(), *count));
        } else {
            rest += count;
        }
    }
    let mut members = vec![(name, json(&shown))];
    members.extend((rest > 0).then(|| (others, Json::count(rest))));
    members
}

/// Counts as served.
pub(crate) fn json(counts: &[(String, usize)]) -> Json {
    Json::map(counts.iter().map(|(key, count)| (key.as_str(), Json::count(*count))).collect())
}
