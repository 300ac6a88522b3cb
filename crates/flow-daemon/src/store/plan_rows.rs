//! The changes as rows: what was taken back, grouped where one write did the same to many records, and numbers of the rest.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};

use crate::model::change::{Effect, Standing, What};
use crate::model::wording::Loss;
use crate::store::collection::Collection;

use super::plan_change::{PlanChange, RecordPlace};

/// Most records that a row names.
const NAMED: usize = 3;
/// Most records of a row of changes that say something else each.
const SINGLE: usize = 3;
/// Longest value of a change in a row, in characters.
const SHOWN: usize = 100;
/// Words before the first difference of two long values that are shown.
const CONTEXT: usize = 3;

/// The kinds of row, in the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// An open record is gone.
    Removed,
    /// A promise of an open record was taken back.
    Weakened,
    /// What was completed is open again.
    Reopened,
    /// A record is completed, and parts of it are not.
    Contradiction,
    /// A record was completed.
    Done,
    /// A record, a criterion or a dependency is new.
    Added,
    /// What is gone was not open.
    Gone,
    /// A record was moved to where finished work is kept.
    Archived,
    /// A record has another id or is in another file.
    Moved,
    /// A text says the same in other words.
    Reworded,
    /// A member has another value.
    Changed,
}

impl Label {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Removed,
        Self::Weakened,
        Self::Reopened,
        Self::Contradiction,
        Self::Done,
        Self::Added,
        Self::Gone,
        Self::Archived,
        Self::Moved,
        Self::Reworded,
        Self::Changed,
    ];

    /// The kind of a change.
    pub fn of(change: &PlanChange) -> Self {
        match (change.effect, change.what) {
            (Some(Effect::Weakened), What::Removed) if change.member.is_none() => Self::Removed,
            (Some(Effect::Weakened), _) => Self::Weakened,
            (Some(Effect::Reopened), _) => Self::Reopened,
            (Some(Effect::Contradiction), _) => Self::Contradiction,
            (None, What::Ticked) => Self::Done,
            (None, What::Changed)
                if change.is_of_status() && change.now == Some(Standing::Done) =>
            {
                Self::Done
            }
            (None, What::Added) => Self::Added,
            (None, What::Removed) => Self::Gone,
            (None, What::Archived) => Self::Archived,
            (None, What::Moved) => Self::Moved,
            (None, What::Reworded) => Self::Reworded,
            (None, What::Changed | What::Unticked | What::NotCompared) => Self::Changed,
        }
    }

    /// The word at the beginning of a row, and of its number in the last line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Removed => "Removed",
            Self::Weakened => "Weakened",
            Self::Reopened => "Reopened",
            Self::Contradiction => "Contradiction",
            Self::Done => "Done",
            Self::Added => "Added",
            Self::Gone => "Removed, not open",
            Self::Archived => "Archived",
            Self::Moved => "Moved",
            Self::Reworded => "Reworded",
            Self::Changed => "Changed",
        }
    }

    /// Its name among the counts of an answer.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Weakened => "weakened",
            Self::Reopened => "reopened",
            Self::Contradiction => "contradiction",
            Self::Done => "done",
            Self::Added => "added",
            Self::Gone => "removed_not_open",
            Self::Archived => "archived",
            Self::Moved => "moved",
            Self::Reworded => "reworded",
            Self::Changed => "changed",
        }
    }

    /// Whether such a change makes the plan promise less.
    pub const fn is_weaker(self) -> bool {
        matches!(self, Self::Removed | Self::Weakened | Self::Reopened | Self::Contradiction)
    }
}

/// A change in a sentence: `Weakened: criterion removed: "A bad signature answers 400"`.
pub fn summary(change: &PlanChange) -> String {
    let label = Label::of(change);
    let name = if label == Label::Gone { Label::Removed.name() } else { label.name() };
    match row_of(label, &[change], 0).what.as_str() {
        "" => name.to_owned(),
        what => format!("{name}: {what}"),
    }
}

/// When changes of one kind in one file become one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// Where there are more than a few that say something else each.
    Few,
    /// Always.
    One,
}

/// A row.
#[derive(Debug)]
pub struct Row<'a> {
    /// Its kind.
    pub label: Label,
    /// The records.
    pub subject: String,
    /// What happened to them.
    pub what: String,
    /// Where the first of them is, or was.
    pub place: Option<RecordPlace>,
    /// Its changes, without those of the tasks of stories that changed in the same way.
    pub changes: Vec<&'a PlanChange>,
    /// Number of those tasks.
    pub parts: usize,
}

/// The rows, and how many changes of each kind there are.
#[derive(Debug)]
pub struct Summary<'a> {
    /// The rows, sorted by their kind.
    pub rows: Vec<Row<'a>>,
    /// The kinds that occur.
    pub counts: Vec<(Label, usize)>,
}

impl<'a> Summary<'a> {
    /// The rows of these changes.
    pub fn of(changes: &'a [PlanChange], joined: Rows) -> Self {
        let mut by_label: BTreeMap<Label, Vec<&PlanChange>> = BTreeMap::new();
        for change in changes {
            by_label.entry(Label::of(change)).or_default().push(change);
        }
        let count = |label: Label| (label, by_label.get(&label).map_or(0, Vec::len));
        let counts = Label::ALL.into_iter().map(count).filter(|(_, count)| *count > 0).collect();
        let rows =
            by_label.iter().flat_map(|(label, changes)| rows(*label, changes, joined)).collect();
        Self { rows, counts }
    }

    /// Whether the plan promises less.
    pub fn is_weaker(&self) -> bool {
        self.counts.iter().any(|(label, _)| label.is_weaker())
    }
}

/// The rows of one label: changes of one kind in one file become one row.
fn rows<'a>(label: Label, changes: &[&'a PlanChange], joined: Rows) -> Vec<Row<'a>> {
    // Each with its number of parts, in the order of its first change.
    let mut groups: IndexMap<String, (Vec<&'a PlanChange>, Vec<usize>)> = IndexMap::new();
    for (change, parts) in without_their_tasks(label, changes) {
        let (group, counts) = groups.entry(group(label, change)).or_default();
        group.push(change);
        counts.push(parts);
    }
    let says_same = matches!(
        label,
        Label::Removed | Label::Gone | Label::Added | Label::Archived | Label::Moved
    );
    let single = if joined == Rows::One { 1 } else { SINGLE };
    let row = |(group, counts): (Vec<&'a PlanChange>, Vec<usize>)| {
        if group.len() > single || says_same && group.iter().all(|change| change.member.is_none()) {
            vec![row_of(label, &group, counts.iter().sum())]
        } else {
            group
                .iter()
                .zip(counts)
                .map(|(change, parts)| row_of(label, &[*change], parts))
                .collect()
        }
    };
    groups.into_values().flat_map(row).collect()
}

/// The changes without those of tasks whose story changed in the same way, and for each story the number of those.
fn without_their_tasks<'a>(
    label: Label,
    changes: &[&'a PlanChange],
) -> Vec<(&'a PlanChange, usize)> {
    let is_whole = matches!(label, Label::Removed | Label::Gone | Label::Added);
    let is_story =
        |change: &PlanChange| change.collection == Collection::Stories && change.member.is_none();
    let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
    if is_whole {
        parts.extend(
            changes.iter().filter(|change| is_story(change)).map(|change| (change.id.as_str(), 0)),
        );
    }
    let mut kept = Vec::new();
    for change in changes {
        let story = change
            .parent
            .as_deref()
            .filter(|_| change.collection == Collection::Tasks && change.member.is_none());
        match story.and_then(|story| parts.get_mut(story)) {
            Some(count) => *count += 1,
            None => kept.push(*change),
        }
    }
    let count =
        |change: &PlanChange| parts.get(change.id.as_str()).copied().filter(|_| is_story(change));
    kept.into_iter().map(|change| (change, count(change).unwrap_or_default())).collect()
}

/// What makes changes one row, if there are several of them.
fn group(label: Label, change: &PlanChange) -> String {
    let file = change.place.as_ref().map(|place| place.file.as_str()).unwrap_or_default();
    let values = match label {
        Label::Reopened | Label::Done if change.is_of_status() => (&change.before, &change.after),
        _ => (&None, &None),
    };
    format!("{file}\0{:?}\0{:?}\0{values:?}", change.what, change.member)
}

fn row_of<'a>(label: Label, group: &[&'a PlanChange], parts: usize) -> Row<'a> {
    let what = match group {
        [one] => what(label, one, parts),
        [first, ..] => {
            let tasks = counted(parts);
            match (first.what, first.member) {
                (What::Removed | What::Added | What::Archived, None) => {
                    tasks.trim_start().to_owned()
                }
                _ if first.is_of_status() && label == Label::Reopened => {
                    let is_same = group.iter().all(|change| change.owner == first.owner);
                    what_of_status(first, first.owner.as_deref().filter(|_| is_same))
                }
                (kind, member) => format!("{} {}", member.map_or("record", noun), kind.name()),
            }
        }
        [] => String::new(),
    };
    let what = if label == Label::Removed { format!("{what} (open)") } else { what };
    Row {
        label,
        subject: subject(group),
        what: what.trim().to_owned(),
        place: group.first().and_then(|change| change.place.clone()),
        changes: group.to_vec(),
        parts,
    }
}

/// The ids of the records; those after the first without the beginning that they share with it.
fn subject(group: &[&PlanChange]) -> String {
    let named = group.iter().map(|change| change.id.as_str()).filter(|id| !id.is_empty());
    let ids: IndexSet<&str> = named.collect();
    let Some(first) = ids.first() else { return String::new() };
    let stem = first.rfind('/').map_or("", |end| &first[..=end]);
    let others = ids.iter().skip(1).take(NAMED - 1).map(|id| id.strip_prefix(stem).unwrap_or(id));
    let named: Vec<&str> = std::iter::once(*first).chain(others).collect();
    match ids.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn counted(parts: usize) -> String {
    match parts {
        0 => String::new(),
        1 => " with 1 task".to_owned(),
        _ => format!(" with {parts} tasks"),
    }
}

/// What happened to one record.
fn what(label: Label, change: &PlanChange, parts: usize) -> String {
    let shown = |text: &Option<String>| quoted(text.as_deref().unwrap_or_default());
    let member = change.member.map(noun).unwrap_or_default();
    let title = change.title.as_deref().map(quoted).unwrap_or_default();
    match (change.what, change.member) {
        _ if label == Label::Contradiction => {
            let status = change.after.as_deref().unwrap_or("completed");
            format!("{status}, but open: {}", named(&change.open))
        }
        (What::Added | What::Removed, None) => format!("{title}{}", counted(parts)),
        (What::Archived | What::Moved, _) => {
            let [from, to] =
                [&change.before, &change.after].map(|text| text.as_deref().unwrap_or_default());
            if from.is_empty() { title } else { format!("{from} → {to}") }
        }
        _ if change.is_of_status() => what_of_status(change, change.owner.as_deref()),
        (What::Removed, Some("depends_on")) => {
            format!("no longer depends on {}", change.before.as_deref().unwrap_or_default())
        }
        (What::Added, Some("depends_on")) => {
            format!("depends on {}", change.after.as_deref().unwrap_or_default())
        }
        (What::Removed, Some(_)) => format!("{member} removed: {}", shown(&change.before)),
        (What::Added, Some(_)) => format!("{member} added: {}", shown(&change.after)),
        (What::Ticked, Some(_)) => format!("{member} met: {}", shown(&change.after)),
        (What::Unticked, Some(_)) => format!("{member} no longer met: {}", shown(&change.after)),
        (What::Reworded, _) => {
            let loss = match &change.loss {
                Some(Loss::Number(word) | Loss::Negation(word)) if change.effect.is_some() => {
                    format!(" without {}", quoted(word))
                }
                _ => String::new(),
            };
            format!("{member} reworded{loss}: {}", from_difference(change))
        }
        _ => match (&change.before, &change.after) {
            (Some(_), None) => format!("{member} removed: {}", shown(&change.before)),
            (None, _) => format!("{member}: {}", shown(&change.after)),
            (Some(_), Some(_)) => format!("{member}: {}", from_difference(change)),
        },
    }
}

fn what_of_status(change: &PlanChange, owner: Option<&str>) -> String {
    let [from, to] = [&change.before, &change.after].map(|text| text.as_deref().unwrap_or("none"));
    let owner = owner.map(|owner| format!(" ({owner})")).unwrap_or_default();
    format!("{from} → {to}{owner}")
}

/// What people call a member.
fn noun(member: &str) -> &str {
    match member {
        "acceptance_criteria" => "criterion",
        "depends_on" => "dependency",
        "epic_id" => "epic",
        "story_id" => "story",
        "subagent_type" => "agent",
        other => other,
    }
}

fn named(ids: &[String]) -> String {
    let first = ids.iter().take(NAMED).map(|id| shortened(id)).collect::<Vec<_>>().join(", ");
    match ids.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", shortened(text))
}

/// Both values; of long ones, from where they begin to differ.
fn from_difference(change: &PlanChange) -> String {
    let values = [&change.before, &change.after].map(|text| text.as_deref().unwrap_or_default());
    let [before, after] = values.map(|text| text.split_whitespace().collect::<Vec<_>>());
    let same = before.iter().zip(&after).take_while(|(one, two)| one == two).count();
    let is_long = values.iter().any(|text| text.chars().count() > SHOWN);
    let start = if is_long { same.saturating_sub(CONTEXT) } else { 0 };
    let mark = if start > 0 { "…" } else { "" };
    let shown = |words: &[&str]| format!("\"{mark}{}\"", shortened(&words[start..].join(" ")));
    format!("{} → {}", shown(&before), shown(&after))
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}
