//! What differs between the plans of two states, by meaning: what was taken back, reopened, done, added, moved or reworded.
//!
//! Records are paired first (`pairs`), since a checklist's numbers and a folder's name do not identify a record; then the members of each
//! pair that are a part of the plan are compared (`members`). A record without a partner was added or removed.
//!
//! ```text
//! before                                   after
//! 1.1 Add the index                        1.1 Choose a store             added
//! 1.2 Answer 400 to a bad signature        1.2 Add the index              (the number alone differs)
//! 1.3 Write the guide                      1.3 Answer a bad signature     weakened: reworded without "400"
//!                                                                        weakened: 1.3 Write the guide removed
//! ```

mod members;
mod pairs;
mod side;

use std::collections::{BTreeSet, HashMap};

use flow_plans::FORMATS;

use crate::model::dependency::Resolver;
use crate::project::Source;

use super::collection::Collection;
use super::differences::{Difference, between};
use super::plan_change::{NotCompared, PlanChange};
use super::snapshot::Snapshot;
use members::Compared;
use pairs::{Pairs, Unit};
use side::{Origin, Side};

/// Most records of a collection, before and after, that are compared.
pub const MOST_COMPARED: usize = 100_000;
/// The collections that make up the plan. Tasks come first: they show which story is another one's new name.
const PLAN: [Collection; 3] = [Collection::Tasks, Collection::Stories, Collection::Epics];

/// What differs between two plans.
#[derive(Debug, Default)]
pub struct PlanChanges {
    /// The changes: tasks, stories, epics, each in the order of their records.
    pub changes: Vec<PlanChange>,
    /// What was not compared.
    pub not_compared: Vec<NotCompared>,
}

/// What is not compared.
#[derive(Debug, Default)]
pub struct LeftOut {
    /// The sources whose own files are not.
    pub sources: Vec<Source>,
    /// The paths of other files that are not.
    pub files: BTreeSet<String>,
}

/// Compares the plans of two states: everything that is served in both of them, but for what is left out.
pub fn compare(before: &Snapshot, after: &Snapshot, left_out: &LeftOut) -> PlanChanges {
    let mut found = PlanChanges::default();
    let sides = [before, after].map(|snapshot| Side { snapshot });
    let mut all: Vec<Compared<'_>> = Vec::new();
    for collection in PLAN {
        let is_compared = |side: Side<'_>, position: usize| {
            let source = collection.source();
            match side.place(collection, position) {
                Some((place, Origin::Format)) => !left_out.files.contains(&place.file),
                Some((place, Origin::File)) => {
                    !left_out.sources.contains(&source) && !left_out.files.contains(&place.file)
                }
                None => false,
            }
        };
        let [left, right] = units(sides, collection, is_compared);
        if left.len().max(right.len()) > MOST_COMPARED {
            let count = left.len().max(right.len());
            found.not_compared.push(NotCompared {
                file: collection.name().to_owned(),
                is_now: true,
                reason: format!("{count} records differ; at most {MOST_COMPARED} are compared"),
            });
            continue;
        }
        let resolvers = sides.map(|side| Resolver::new(&**side.snapshot.records(collection)));
        let pairs = Pairs::of_ids(&left, &right);
        all.push(Compared { collection, sides, left, right, pairs, resolvers });
    }
    pair(&mut all);
    for Compared { collection, pairs, .. } in all.iter().filter(|one| one.pairs.too_many > 0) {
        found.not_compared.push(NotCompared {
            file: collection.name().to_owned(),
            is_now: false,
            reason: format!(
                "the texts of {} records are too many to find them among those before by similarity",
                pairs.too_many
            ),
        });
    }
    let of_ids = members::same_ids(&all);
    for compared in &all {
        found.changes.extend(compared.changes(&of_ids));
    }
    let contradictions = contradictions(&all);
    // The change of a status is told once.
    let told: BTreeSet<_> = contradictions.iter().map(key).collect();
    found.changes.retain(|change| !told.contains(&key(change)));
    found.changes.extend(contradictions);
    found.not_compared.sort();
    found.not_compared.dedup();
    found
}

/// The open parts of a record that is marked as completed: tasks by their ids, criteria by their texts.
pub fn open_parts(snapshot: &Snapshot, collection: Collection, id: &str) -> Vec<String> {
    let position = snapshot.records(collection).position(id);
    position.map_or_else(Vec::new, |at| members::open_parts(Side { snapshot }, collection, at))
}

fn key(change: &PlanChange) -> (&'static str, &str, Option<&'static str>) {
    (change.collection.name(), &change.id, change.member)
}

/// Pairs what is the same under other ids: first what texts show, then what the parts of stories show of the stories.
fn pair(all: &mut [Compared<'_>]) {
    let mut groups: HashMap<String, String> = HashMap::new();
    for compared in all.iter_mut() {
        compared.pairs.by_text(&compared.left, &compared.right, &groups);
    }
    if let [tasks, stories, ..] = all {
        let votes = tasks.pairs.groups(&tasks.left, &tasks.right);
        stories.pairs.by_parts(&stories.left, &stories.right, &votes);
        groups = stories.pairs.renamed(&stories.left, &stories.right);
    }
    for compared in all.iter_mut() {
        compared.pairs.by_text(&compared.left, &compared.right, &groups);
        compared.pairs.by_likeness(&compared.left, &compared.right, &groups);
    }
}

/// The records that differ, in both states.
fn units<'a>(
    [before, after]: [Side<'a>; 2],
    collection: Collection,
    is_compared: impl Fn(Side<'a>, usize) -> bool,
) -> [Vec<Unit<'a>>; 2] {
    let records = [before, after].map(|side| side.snapshot.records(collection));
    let mut positions: [Vec<usize>; 2] = Default::default();
    for difference in between(records[0], records[1]) {
        match difference {
            Difference::Added(at) => positions[1].push(at),
            Difference::Removed(at) => positions[0].push(at),
            Difference::Changed { before, after } => {
                positions[0].push(before);
                positions[1].push(after);
            }
        }
    }
    for (one, two) in elsewhere([before, after], collection) {
        positions[0].push(one);
        positions[1].push(two);
    }
    for side in &mut positions {
        side.sort_unstable();
        side.dedup();
    }
    let [left, right] = &positions;
    let of = |side: Side<'a>, positions: &[usize]| -> Vec<Unit<'a>> {
        let compared = positions.iter().filter(|at| is_compared(side, **at));
        compared.filter_map(|at| side.unit(collection, *at)).collect()
    };
    [of(before, left), of(after, right)]
}

/// The positions of the records of formats that are in another file, whether or not they differ otherwise.
fn elsewhere(sides: [Side<'_>; 2], collection: Collection) -> Vec<(usize, usize)> {
    if sides.iter().any(|side| side.snapshot.plans.formats.is_empty()) {
        return Vec::new();
    }
    let [before, after] = sides.map(|side| side.snapshot.records(collection));
    let file = |side: Side<'_>, position: usize| match side.place(collection, position)? {
        (place, Origin::Format) => Some(place.file),
        (_, Origin::File) => None,
    };
    let other_file = |now: usize| {
        let earlier = before.position(after.id_at(now)?)?;
        let files = [file(sides[0], earlier)?, file(sides[1], now)?];
        (files[0] != files[1]).then_some((earlier, now))
    };
    (0..after.len()).filter_map(other_file).collect()
}

/// The files that cannot be read as they are.
pub fn broken(snapshot: &Snapshot) -> BTreeSet<String> {
    unread(snapshot, snapshot).0
}

/// The files that cannot be read as they are in one of the states.
pub fn unread(before: &Snapshot, after: &Snapshot) -> (BTreeSet<String>, Vec<NotCompared>) {
    let (mut files, mut noted) = (BTreeSet::new(), Vec::new());
    for (snapshot, is_now) in [(before, false), (after, true)] {
        let mut note = |file: &str, reason: &str| {
            if files.insert(file.to_owned()) {
                noted.push(NotCompared {
                    file: file.to_owned(),
                    is_now,
                    reason: reason.to_owned(),
                });
            }
        };
        for source in [Source::Status, Source::Tasks] {
            let health = &snapshot.health[source.index()];
            if let Some((_, reason)) = health.degraded() {
                note(&health.path, reason);
            }
        }
        for problem in snapshot.plans.problems.iter().filter(|problem| problem.is_invalid()) {
            note(&problem.file, &problem.reason);
        }
    }
    (files, noted)
}

/// The files of the formats that are read in one of the states only, since the settings changed in between. One that had no files
/// in the other state came or went with its plan.
pub fn of_one_side(before: &Snapshot, after: &Snapshot) -> BTreeSet<String> {
    let of_side = |side: &Snapshot, other: &Snapshot| {
        let others = other.plans.names();
        let has_files = |name: &str| {
            let format = FORMATS.iter().find(|format| format.name() == name);
            let is_found = format.is_some_and(|format| !format.needs_setting());
            !is_found || other.plans.beside.contains(&name)
        };
        let names = side.plans.names().into_iter();
        let only: Vec<&str> =
            names.filter(|name| !others.contains(name) && has_files(name)).collect();
        side.plans.files_of(&only).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    [of_side(before, after), of_side(after, before)].into_iter().flatten().collect()
}

/// The records that are completed now and have open parts, unless they were so before.
fn contradictions(all: &[Compared<'_>]) -> Vec<PlanChange> {
    let Some(tasks) = all.iter().find(|compared| compared.collection == Collection::Tasks) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for compared in all.iter().filter(|compared| compared.collection != Collection::Epics) {
        let touched = match compared.collection {
            Collection::Stories => tasks.groups_now(),
            _ => tasks.parents_now(),
        };
        found.extend(compared.contradictions(&touched));
    }
    found
}
