//! The changes of the records of a collection: those of each pair, and the records without a partner.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use crate::model::change::{Effect, What};
use crate::model::dependency::{Dependencies, Resolver};
use crate::model::document::canonical;
use crate::model::json;
use crate::model::name::{Name, Value};
use crate::model::record::Record;
use crate::model::wording::{self, Wording, pairs};
use crate::store::collection::Collection;
use crate::store::index::{Index, status_field};
use crate::store::plan_change::PlanChange;

use super::pairs::{Pairs, Unit, local};
use super::side::Side;

/// Longest text of a change, in bytes. Of a longer one, both ends are told.
const LONGEST: usize = 4 << 10;
/// Most open parts of a completed record that are named.
const MOST_OPEN: usize = 100;
/// Members of a criterion that is an object: its text, and whether it is met.
const CRITERION: [&str; 5] = ["text", "criterion", "description", "title", "name"];
const MET: [&str; 6] = ["done", "met", "checked", "passed", "passes", "completed"];
/// The status of what was moved to where finished work is kept.
const ARCHIVED: &str = "archived";
/// Folders of finished work.
const ARCHIVES: [&str; 3] = ["archive", "archived", "completed"];

/// The records of a collection that differ, and which of them are the same.
pub(super) struct Compared<'a> {
    pub(super) collection: Collection,
    pub(super) sides: [Side<'a>; 2],
    pub(super) left: Vec<Unit<'a>>,
    pub(super) right: Vec<Unit<'a>>,
    pub(super) pairs: Pairs,
    /// What texts of dependencies name, in each state.
    pub(super) resolvers: [Resolver<'a, Index>; 2],
}

/// For each collection, the ids before of records that have another one now, by that.
pub(super) type Renamed = HashMap<&'static str, HashMap<String, String>>;

/// The ids that records had before.
pub(super) fn same_ids(all: &[Compared<'_>]) -> Renamed {
    let of = |one: &Compared<'_>| (one.collection.name(), one.pairs.renamed(&one.left, &one.right));
    all.iter().map(of).collect()
}

/// A criterion: its text, and whether it is met if it says so.
struct Criterion {
    text: String,
    is_met: Option<bool>,
}

impl Compared<'_> {
    /// The changes, in the order of the records: those that are there now, then those that are gone.
    pub(super) fn changes(&self, renamed: &Renamed) -> Vec<PlanChange> {
        let mut found = Vec::new();
        for (now, unit) in self.right.iter().enumerate() {
            if let Some(before) = self.pairs.of_right[now] {
                found.extend(self.of_pair(&self.left[before], unit, renamed));
            } else {
                let after = status(unit);
                found.push(PlanChange { after, ..self.change(What::Added, None, Some(unit)) });
            }
        }
        for (before, unit) in self.left.iter().enumerate() {
            if self.pairs.of_left[before].is_some() {
                continue;
            }
            let is_retired = self.sides[1].snapshot.plans.is_retired(self.collection, unit.id);
            let is_open = self.sides[0].is_open(self.collection, unit.position);
            let what = if is_retired { What::Archived } else { What::Removed };
            found.push(PlanChange {
                before: status(unit),
                effect: (is_open && !is_retired).then_some(Effect::Weakened),
                ..self.change(what, Some(unit), None)
            });
        }
        found
    }

    /// A change without values.
    fn change(&self, what: What, before: Option<&Unit<'_>>, now: Option<&Unit<'_>>) -> PlanChange {
        let (side, unit) = match (before, now) {
            (_, Some(unit)) => (self.sides[1], Some(unit)),
            (unit, None) => (self.sides[0], unit),
        };
        let of_now = |text: fn(&Record<'_>) -> Option<String>| {
            now.and_then(|unit| text(&unit.record))
                .or_else(|| before.and_then(|unit| text(&unit.record)))
        };
        let standing = |side: usize, unit: Option<&Unit<'_>>| {
            let unit = unit.filter(|unit| !unit.record.follows_from_boxes())?;
            Some(self.sides[side].standing(self.collection, unit.position))
        };
        PlanChange {
            collection: self.collection,
            id: unit.map(|unit| unit.id.to_owned()).unwrap_or_default(),
            title: of_now(|record| {
                record.text(record.kind().spellings("title")).or_else(|| record.title())
            })
            .map(cut),
            what,
            member: None,
            before: None,
            after: None,
            effect: None,
            loss: None,
            open: Vec::new(),
            was: standing(0, before),
            now: standing(1, now),
            owner: of_now(|record| {
                let owner = record.text(record.kind().spellings("owner"));
                owner.or_else(|| record.text(record.kind().spellings("subagent_type")))
            }),
            parent: unit.and_then(Unit::parent),
            place: unit.and_then(|unit| Some(side.place(self.collection, unit.position)?.0)),
        }
    }

    /// Whether a record was open before, also if its status followed from boxes.
    fn was_open(&self, before: &Unit<'_>) -> bool {
        self.sides[0].is_open(self.collection, before.position)
    }

    fn of_pair(&self, before: &Unit<'_>, now: &Unit<'_>, renamed: &Renamed) -> Vec<PlanChange> {
        let mut found = Vec::new();
        found.extend(self.moved(before, now, renamed));
        for name in now.record.kind().planned() {
            match name.value {
                Value::Status => found.extend(self.status_changed(name, before, now)),
                Value::Text if name.documented() != "subagent_type" => {
                    found.extend(self.reworded(name, before, now));
                }
                Value::Texts => found.extend(self.criteria_changed(name, before, now)),
                Value::Ids => found.extend(self.dependencies_changed(name, before, now, renamed)),
                Value::Id => found.extend(self.belongs_elsewhere(name, before, now, renamed)),
                Value::Text | Value::Names | Value::Amount | Value::Time | Value::Any => {
                    found.extend(self.value_changed(name, before, now));
                }
            }
        }
        found
    }

    /// The change of a pair whose ids or files differ. What was moved with its group is told of the group.
    fn moved(&self, before: &Unit<'_>, now: &Unit<'_>, renamed: &Renamed) -> Option<PlanChange> {
        let places = [
            self.sides[0].place(self.collection, before.position),
            self.sides[1].place(self.collection, now.position),
        ];
        let files = places.map(|place| place.map(|(place, _)| place.file));
        let is_other_file = files[0] != files[1];
        let group = |unit: &Unit<'_>| unit.group.clone();
        let is_same_group =
            group(before) == now.group.as_deref().map(|id| self.earlier(renamed, "story_id", id));
        let rest = |unit: &Unit<'_>| {
            let group = unit.group.as_deref().unwrap_or_default();
            unit.local.strip_prefix(group).unwrap_or(&unit.local).to_owned()
        };
        let is_same_name = before.local == now.local
            || is_same_group
                && (rest(before) == rest(now) || before.is_counted() && now.is_counted());
        if is_same_name && (!is_other_file || is_same_group && now.group.is_some()) {
            return None;
        }
        let is_archive = |file: &Option<String>| {
            file.as_deref().is_some_and(|file| file.split('/').any(|part| ARCHIVES.contains(&part)))
        };
        let what = if is_archive(&files[1]) && !is_archive(&files[0]) {
            What::Archived
        } else {
            What::Moved
        };
        let names =
            if is_same_name { files } else { [before, now].map(|unit| Some(unit.id.to_owned())) };
        let [from, to] = names;
        let member = Some(if is_same_name { "file" } else { "id" });
        Some(PlanChange {
            member,
            before: from,
            after: to,
            ..self.change(what, Some(before), Some(now))
        })
    }

    /// The name before of a record that another one refers to by a member.
    fn earlier(&self, renamed: &Renamed, member: &str, id: &str) -> String {
        let collection = match member {
            "story_id" if self.collection == Collection::Tasks => Collection::Stories,
            "epic_id" | "story_id" => Collection::Epics,
            _ => self.collection,
        };
        let known = renamed.get(collection.name()).and_then(|ids| ids.get(id));
        known.map_or_else(|| id.to_owned(), Clone::clone)
    }

    fn status_changed(&self, name: &Name, before: &Unit<'_>, now: &Unit<'_>) -> Option<PlanChange> {
        // Its tasks are told themselves.
        if before.record.follows_from_boxes() || now.record.follows_from_boxes() {
            return None;
        }
        let member = name.documented();
        let values = [status(before), status(now)];
        let compared = |value: &Option<String>| {
            value.as_deref().map(|value| canonical(now.record.kind(), member, value))
        };
        let was_done = self.sides[0].is_done(self.collection, before.position);
        let is_done = self.sides[1].is_done(self.collection, now.position);
        if compared(&values[0]) == compared(&values[1]) {
            return None;
        }
        let is_box = self.collection == Collection::Tasks && now.record.member("format").is_some();
        let what = match (was_done, is_done) {
            (false, true) if is_box => What::Ticked,
            (true, false) if is_box => What::Unticked,
            _ => What::Changed,
        };
        let is_open = self.sides[1].is_open(self.collection, now.position);
        let effect = (was_done && is_open).then_some(Effect::Reopened);
        let [from, to] = values;
        Some(PlanChange {
            member: Some(member),
            before: from,
            after: to,
            effect,
            ..self.change(what, Some(before), Some(now))
        })
    }

    fn reworded(&self, name: &Name, before: &Unit<'_>, now: &Unit<'_>) -> Option<PlanChange> {
        let [from, to] = [before, now].map(|unit| unit.record.text(name.read));
        let change = self.text_changed(from.as_deref(), to.as_deref(), before, now)?;
        Some(PlanChange { member: Some(name.documented()), ..change })
    }

    /// The change of a text, unless only its spelling differs.
    fn text_changed(
        &self,
        from: Option<&str>,
        to: Option<&str>,
        before: &Unit<'_>,
        now: &Unit<'_>,
    ) -> Option<PlanChange> {
        let wording =
            |text: Option<&str>| text.map(Wording::of).filter(|wording| !wording.is_empty());
        let [old, new] = [from, to].map(wording);
        let what = match (&old, &new) {
            (None, None) => return None,
            (Some(old), Some(new)) if old.key() == new.key() => return None,
            (Some(_), Some(_)) => What::Reworded,
            _ => What::Changed,
        };
        let loss = from.and_then(|from| wording::loss(from, to.unwrap_or_default()));
        let change = self.change(what, Some(before), Some(now));
        let effect = (loss.is_some() && self.was_open(before)).then_some(Effect::Weakened);
        let [from, to] = [from, to].map(|text| text.map(|text| cut(text.to_owned())));
        Some(PlanChange { before: from, after: to, effect, loss, ..change })
    }

    fn criteria_changed(&self, name: &Name, before: &Unit<'_>, now: &Unit<'_>) -> Vec<PlanChange> {
        let lists = [before, now].map(|unit| criteria(&unit.record, name));
        let texts = [&lists[0], &lists[1]]
            .map(|list| list.iter().map(|one| Wording::of(&one.text)).collect::<Vec<_>>());
        let pairs = pairs(&texts[0], &texts[1]);
        let member = Some(name.documented());
        let mut found = Vec::new();
        for (one, two) in &pairs {
            let (old, new) = (&lists[0][*one], &lists[1][*two]);
            let change = self.text_changed(Some(&old.text), Some(&new.text), before, now);
            found.extend(change.map(|change| PlanChange { member, ..change }));
            let what = match (old.is_met, new.is_met) {
                (Some(false) | None, Some(true)) => What::Ticked,
                (Some(true), Some(false)) => What::Unticked,
                _ => continue,
            };
            let effect = (what == What::Unticked).then_some(Effect::Reopened);
            let [from, to] = [old, new].map(|one| Some(cut(one.text.clone())));
            found.push(PlanChange {
                member,
                before: from,
                after: to,
                effect,
                ..self.change(what, Some(before), Some(now))
            });
        }
        let paired: [BTreeSet<usize>; 2] =
            [pairs.iter().map(|pair| pair.0).collect(), pairs.iter().map(|pair| pair.1).collect()];
        for (at, one) in lists[0].iter().enumerate().filter(|(at, _)| !paired[0].contains(at)) {
            let change = self.change(What::Removed, Some(before), Some(now));
            let is_unmet = one.is_met != Some(true);
            let effect = (self.was_open(before) && is_unmet && !texts[0][at].is_empty())
                .then_some(Effect::Weakened);
            found.push(PlanChange {
                member,
                before: Some(cut(one.text.clone())),
                effect,
                ..change
            });
        }
        for (_, one) in lists[1].iter().enumerate().filter(|(at, _)| !paired[1].contains(at)) {
            let change = self.change(What::Added, Some(before), Some(now));
            found.push(PlanChange { member, after: Some(cut(one.text.clone())), ..change });
        }
        found
    }

    fn dependencies_changed(
        &self,
        name: &Name,
        before: &Unit<'_>,
        now: &Unit<'_>,
        renamed: &Renamed,
    ) -> Vec<PlanChange> {
        let needs = |side: usize, unit: &Unit<'_>| -> Vec<String> {
            let format = unit.record.word("format");
            let read = Dependencies::read(&unit.record, &self.resolvers[side]);
            read.ids.iter().map(|id| local(format.as_deref(), id).to_owned()).collect()
        };
        let (old, new) = (needs(0, before), needs(1, now));
        let new: Vec<(String, String)> =
            new.into_iter().map(|id| (self.earlier(renamed, "depends_on", &id), id)).collect();
        let member = Some(name.documented());
        let mut found = Vec::new();
        for id in old.iter().filter(|id| new.iter().all(|(earlier, _)| earlier != *id)) {
            let change = self.change(What::Removed, Some(before), Some(now));
            // Nobody waits for what is done, and the removal of a record is told of the record.
            let effect = (self.was_open(before) && self.is_still_open(id, before))
                .then_some(Effect::Weakened);
            found.push(PlanChange { member, before: Some(id.clone()), effect, ..change });
        }
        for (_, id) in new.iter().filter(|(earlier, _)| !old.contains(earlier)) {
            let change = self.change(What::Added, Some(before), Some(now));
            found.push(PlanChange { member, after: Some(id.clone()), ..change });
        }
        found
    }

    /// Whether a record that was open is still there, and open.
    fn is_still_open(&self, id: &str, by: &Unit<'_>) -> bool {
        let id = match by.record.word("format").filter(|_| by.local != by.id) {
            Some(format) => format!("{format}:{id}"),
            None => id.to_owned(),
        };
        let Some(position) = self.sides[0].snapshot.records(self.collection).position(&id) else {
            return false;
        };
        let is_open_now = match numbered(&self.left, position) {
            Some(at) => self.pairs.of_left[at].is_some_and(|now| {
                self.sides[1].is_open(self.collection, self.right[now].position)
            }),
            // It is the same in both states.
            None => true,
        };
        self.sides[0].is_open(self.collection, position) && is_open_now
    }

    fn belongs_elsewhere(
        &self,
        name: &Name,
        before: &Unit<'_>,
        now: &Unit<'_>,
        renamed: &Renamed,
    ) -> Option<PlanChange> {
        let member = name.documented();
        let [from, to] = [before, now].map(|unit| {
            let format = unit.record.word("format");
            unit.record.word(member).map(|id| local(format.as_deref(), &id).to_owned())
        });
        let earlier = to.as_deref().map(|id| self.earlier(renamed, member, id));
        if from == earlier {
            return None;
        }
        Some(PlanChange {
            member: Some(member),
            before: from,
            after: to,
            ..self.change(What::Changed, Some(before), Some(now))
        })
    }

    fn value_changed(&self, name: &Name, before: &Unit<'_>, now: &Unit<'_>) -> Option<PlanChange> {
        let value = |unit: &Unit<'_>| {
            let raw = name
                .read
                .iter()
                .find_map(|name| unit.record.member(name).filter(|raw| !json::is_null(raw)))?;
            let texts = match raw.as_bytes().first() {
                Some(b'[') => json::elements(raw).ok()?,
                _ => vec![raw],
            };
            let texts: Vec<Cow<'_, str>> = texts.into_iter().filter_map(json::word).collect();
            Some(texts.join(", ").trim().to_owned()).filter(|text| !text.is_empty())
        };
        let [from, to] = [before, now].map(value);
        if from.as_deref().map(str::to_lowercase) == to.as_deref().map(str::to_lowercase) {
            return None;
        }
        let [from, to] = [from, to].map(|text| text.map(cut));
        Some(PlanChange {
            member: Some(name.documented()),
            before: from,
            after: to,
            ..self.change(What::Changed, Some(before), Some(now))
        })
    }

    /// The stories of the tasks that differ.
    pub(super) fn groups_now(&self) -> BTreeSet<String> {
        self.right
            .iter()
            .filter_map(|unit| unit.record.word("story_id").map(Cow::into_owned))
            .collect()
    }

    /// The tasks of which those that differ are parts.
    pub(super) fn parents_now(&self) -> BTreeSet<String> {
        self.right
            .iter()
            .filter_map(|unit| unit.record.word("parent").map(Cow::into_owned))
            .collect()
    }

    /// The records that are completed and have open parts, of those that differ or whose parts do.
    pub(super) fn contradictions(&self, touched: &BTreeSet<String>) -> Vec<PlanChange> {
        let records = self.sides[1].snapshot.records(self.collection);
        let own = self.right.iter().map(|unit| unit.position);
        let of_parts = touched.iter().filter_map(|id| records.position(id));
        let positions: BTreeSet<usize> = own.chain(of_parts).collect();
        positions.into_iter().filter_map(|position| self.contradiction(position)).collect()
    }

    fn contradiction(&self, position: usize) -> Option<PlanChange> {
        let [before, after] = self.sides;
        let open = open_parts(after, self.collection, position);
        if open.is_empty() {
            return None;
        }
        let now = after.unit(self.collection, position)?;
        let at = numbered(&self.right, position);
        let earlier = match at {
            Some(at) => self.pairs.of_right[at].map(|at| self.left[at].position),
            None => before.snapshot.records(self.collection).position(now.id),
        };
        if earlier.is_some_and(|position| !open_parts(before, self.collection, position).is_empty())
        {
            return None;
        }
        let unit = earlier.and_then(|position| before.unit(self.collection, position));
        Some(PlanChange {
            member: Some(status_field(now.record.kind())),
            before: unit.as_ref().and_then(|unit| status(unit)),
            after: status(&now),
            effect: Some(Effect::Contradiction),
            open,
            ..self.change(What::Changed, unit.as_ref(), Some(&now))
        })
    }
}

/// The open parts of a record that its writer calls completed: tasks by their ids, criteria by their texts.
pub(super) fn open_parts(side: Side<'_>, collection: Collection, position: usize) -> Vec<String> {
    let records = side.snapshot.records(collection);
    let Some(record) = records.record(position) else { return Vec::new() };
    let is_archived =
        record.word("status").is_some_and(|status| status.eq_ignore_ascii_case(ARCHIVED));
    if record.follows_from_boxes() || is_archived || !side.is_done(collection, position) {
        return Vec::new();
    }
    let member = if collection == Collection::Stories { "story_id" } else { "parent" };
    let tasks = side.snapshot.records(Collection::Tasks);
    let set = records.id_at(position).and_then(|id| tasks.terms(member)?.get(id));
    let positions = set.map(|set| tasks.positions(Some(set))).unwrap_or_default();
    let open = positions.into_iter().filter(|at| tasks.is_open(*at));
    let ids = open.filter_map(|at| tasks.id(at).map(str::to_owned));
    let name = record.kind().name("acceptance_criteria");
    let unmet = name.map(|name| criteria(&record, name)).unwrap_or_default().into_iter();
    let unmet = unmet.filter(|one| one.is_met == Some(false)).map(|one| cut(one.text));
    ids.chain(unmet).take(MOST_OPEN).collect()
}

/// The status as it is written; an empty text counts as none.
fn status(unit: &Unit<'_>) -> Option<String> {
    let word = unit.record.word(status_field(unit.record.kind()))?;
    Some(word.into_owned()).filter(|word| !word.is_empty())
}

/// The number of the record at this position. The records are sorted by their positions.
fn numbered(units: &[Unit<'_>], position: usize) -> Option<usize> {
    units.binary_search_by_key(&position, |unit| unit.position).ok()
}

/// The criteria of a record: the elements of a list, or the lines of a text.
fn criteria(record: &Record<'_>, name: &Name) -> Vec<Criterion> {
    let raw =
        name.read.iter().find_map(|name| record.member(name).filter(|raw| !json::is_null(raw)));
    let Some(raw) = raw else { return Vec::new() };
    let of_text = |text: &str| {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(boxed).collect::<Vec<_>>()
    };
    match raw.as_bytes().first() {
        Some(b'[') => {
            json::elements(raw).unwrap_or_default().into_iter().filter_map(criterion).collect()
        }
        _ => json::word(raw).map(|text| of_text(&text)).unwrap_or_default(),
    }
}

/// A text that may begin with a box.
fn boxed(text: &str) -> Criterion {
    let item = text.trim_start_matches(['-', '*', '+', ' ']);
    for (mark, is_met) in [("[ ]", false), ("[x]", true), ("[X]", true)] {
        if let Some(text) = item.strip_prefix(mark) {
            return Criterion { text: text.trim().to_owned(), is_met: Some(is_met) };
        }
    }
    Criterion { text: text.to_owned(), is_met: None }
}

fn criterion(raw: &str) -> Option<Criterion> {
    if !json::is_object(raw) {
        return json::word(raw).map(|text| boxed(&text));
    }
    let members = json::members(raw).ok()?.list;
    let member = |name: &str| members.iter().find(|member| member.name == name);
    let text = CRITERION.iter().find_map(|name| json::string(member(name)?.value).ok());
    let is_met = MET.iter().find_map(|name| match member(name)?.value {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    });
    Some(Criterion { text: text.map_or_else(|| raw.to_owned(), Cow::into_owned), is_met })
}

/// A text, of which the middle is left out if it is too long.
fn cut(text: String) -> String {
    if text.len() <= LONGEST {
        return text;
    }
    let half = LONGEST / 2;
    let (start, end) = (text.floor_char_boundary(half), text.ceil_char_boundary(text.len() - half));
    format!("{} … {}", &text[..start], &text[end..])
}
