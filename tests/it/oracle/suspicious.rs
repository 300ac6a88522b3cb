//! What may not be read as it is meant: members, statuses, times and dependencies of records, and members of messages.

use std::collections::HashMap;

use super::dependencies;
use super::json::Json;
use super::names::{self, Target};
use super::problem::{At, Level, Problem};
use super::records::{Kind, Record, is_absent};
use super::resemblance::{Likeness, likeness, most_of_name, most_of_status, plain};
use super::{tally, time};

/// A record or a message.
pub(crate) struct Item<'a> {
    pub(crate) at: At,
    /// The id of a record; a message has none.
    pub(crate) id: &'a str,
    pub(crate) body: &'a Json,
}

/// The relation of a name to the documented member that it may stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Synonym,
    Like(Likeness),
}

/// A name that may stand for a documented member.
struct Misnamed {
    target: &'static Target,
    relation: Relation,
    /// Number of items that have it.
    count: usize,
    /// Those among them that lack the documented one.
    lacking: Vec<usize>,
}

/// The suspicious entries of a collection, first those about all of it.
pub(crate) fn of_records(kind: &Kind, records: &[Record]) -> Vec<Problem> {
    let item = |record: &'_ Record| At::Id(record.id.clone());
    let items: Vec<Item<'_>> = records
        .iter()
        .map(|record| Item { at: item(record), id: &record.id, body: &record.body })
        .collect();
    let (mut found, of_names) = of_members(kind, &items);
    let most = most_single(records.len());
    let unread: Vec<Vec<&str>> = records.iter().map(|record| times_of(kind, record)).collect();
    let is_common = |name: &str| unread.iter().flatten().filter(|one| **one == name).count() > most;
    let of_all: Vec<&str> =
        names::table("times").split_whitespace().filter(|name| is_common(name)).collect();
    let no_texts = records.iter().filter(|record| has_no_text_as_status(kind, record)).count();
    let whole = of_all.len() + usize::from(no_texts > most);
    found.extend(std::iter::repeat_n(Problem::suspicious(kind.source, kind.collection), whole));
    for (at, record) in records.iter().enumerate() {
        let is_no_text = has_no_text_as_status(kind, record) && no_texts <= most;
        let status = usize::from(is_no_text || is_status_misspelled(kind, record, records));
        let times = unread[at].iter().filter(|name| !of_all.contains(name)).count();
        let dependencies = kind.words.map_or(0, |words| {
            if words.is_open(record) { unknown_dependencies(record, records) } else { 0 }
        });
        let entry = Problem::suspicious(kind.source, &record.id);
        let count = of_names[at] + status + times + dependencies;
        found.extend(std::iter::repeat_n(entry, count));
    }
    found
}

/// The suspicious entries of a log. The items are the messages of all finished lines.
pub(crate) fn of_messages(kind: &Kind, items: &[Item<'_>]) -> Vec<Problem> {
    let (mut found, of_names) = of_members(kind, items);
    let has_no_time = |item: &Item<'_>| {
        item.body.get("timestamp").is_some_and(|value| is_unreadable(kind, value))
    };
    let is_common =
        items.iter().filter(|item| has_no_time(item)).count() > most_single(items.len());
    if is_common {
        found.push(Problem::suspicious(kind.source, kind.collection));
    }
    for (at, item) in items.iter().enumerate() {
        let time = usize::from(!is_common && has_no_time(item));
        let entry = Problem { source: kind.source, at: item.at.clone(), level: Level::Suspicious };
        found.extend(std::iter::repeat_n(entry, of_names[at] + time));
    }
    found
}

/// The largest number of entries of one cause that are reported one by one.
fn most_single(count: usize) -> usize {
    (count / 10).max(2)
}

/// The entries about all of the collection, and the number of entries of each item, that its members' names raise.
fn of_members(kind: &Kind, items: &[Item<'_>]) -> (Vec<Problem>, Vec<usize>) {
    let mut places: HashMap<&str, Option<usize>> = HashMap::new();
    let mut found: Vec<Misnamed> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        for (name, value) in members(item.body) {
            let place = *places.entry(name).or_insert_with(|| {
                let (target, relation) = meant(kind, name)?;
                found.push(Misnamed { target, relation, count: 0, lacking: Vec::new() });
                Some(found.len() - 1)
            });
            let Some(misnamed) = place.map(|place| &mut found[place]) else { continue };
            misnamed.count += 1;
            let is_plain = misnamed.relation == Relation::Like(Likeness::Plain);
            if !has(kind, item.body, misnamed.target)
                && (is_plain || fits(kind, misnamed.target.name, value, item.id))
            {
                misnamed.lacking.push(at);
            }
        }
    }
    let most = most_single(items.len());
    let mut of_all = Vec::new();
    let mut of_items = vec![0; items.len()];
    for Misnamed { relation, count, lacking, .. } in found {
        if count <= most {
            for at in lacking {
                of_items[at] += 1;
            }
        } else if relation != Relation::Like(Likeness::Near) && !lacking.is_empty() {
            of_all.push(Problem::suspicious(kind.source, kind.collection));
        }
    }
    (of_all, of_items)
}

/// The members with a value that is not null.
fn members(body: &Json) -> impl Iterator<Item = (&str, &Json)> {
    let Json::Map(members) = body else { unreachable!("records are maps") };
    members.iter().filter_map(|(key, value)| match value {
        Json::Null => None,
        value => Some((key.plain.as_deref().expect("such records are skipped"), value)),
    })
}

/// The documented member that a name may stand for.
fn meant(kind: &Kind, name: &str) -> Option<(&'static Target, Relation)> {
    let is_read = |target: &Target| target.name == name || names::has(target.others, name);
    let is_synonym = |target: &Target| names::has(target.synonyms, name);
    let is_known = names::has(names::table("extras"), name)
        || names::targets(kind.collection)
            .iter()
            .any(|target| is_read(target) || is_synonym(target));
    let relation = |target: &'static Target| {
        if is_synonym(target) {
            return Some((target, Relation::Synonym));
        }
        let may_be_like = !is_known && target.is_resembled;
        let like = if may_be_like { like_target(name, target) } else { None };
        like.map(|likeness| (target, Relation::Like(likeness)))
    };
    names::targets(kind.collection).iter().find_map(relation)
}

fn like_target(name: &str, target: &Target) -> Option<Likeness> {
    let all = std::iter::once(target.name).chain(target.others.split_whitespace());
    if all.clone().any(|other| plain(name) == plain(other)) {
        return Some(Likeness::Plain);
    }
    let is_time =
        target.name.ends_with("_at") || ["timestamp", "last_active"].contains(&target.name);
    let is_compared =
        |other: &&str| *other == target.name || !is_time && other.chars().count() >= 8;
    all.filter(is_compared).find_map(|other| likeness(name, other, most_of_name(other)))
}

/// Whether a record has a value for a documented member, under any name that is read.
fn has(kind: &Kind, body: &Json, target: &Target) -> bool {
    let has_value = |name: &str| {
        let value = body.get(name).filter(|value| !is_absent(target.name, value));
        match value {
            Some(Json::List(items)) if target.name == "owner" && name != "owner" => {
                items.iter().any(is_text_of_owner)
            }
            value => value.is_some(),
        }
    };
    let is_titled = kind.collection == "tasks"
        && target.name == "description"
        && ["title", "name"].into_iter().any(has_value);
    is_titled || has_value(target.name) || target.others.split_whitespace().any(has_value)
}

fn is_text_of_owner(value: &Json) -> bool {
    value.plain().is_some_and(|text| !text.is_empty())
}

/// Whether a value could be one of a documented member.
fn fits(kind: &Kind, target: &str, value: &Json, id: &str) -> bool {
    let text = value.plain().filter(|text| !text.trim().is_empty());
    let is_number = matches!(value, Json::Number(_));
    match target {
        "status" | "state" => text.is_some_and(|text| is_known_status(kind, text)),
        "epic_id" | "story_id" | "parent" | "estimate" | "priority" => text.is_some() || is_number,
        "owner" => match value {
            Json::List(items) => items.iter().any(is_text_of_owner),
            value => text.is_some() && !is_time(kind, value),
        },
        "acceptance_criteria" => {
            text.is_some() || matches!(value, Json::List(items) if !items.is_empty())
        }
        "depends_on" => match value {
            Json::List(items) => items.iter().any(|item| names_an_id(item, id)),
            value => names_an_id(value, id),
        },
        "last_active" | "timestamp" => is_time(kind, value),
        name if name.ends_with("_at") => is_time(kind, value),
        _ => text.is_some(),
    }
}

fn is_known_status(kind: &Kind, text: &str) -> bool {
    let word = tally::canonical(text, tally::DONE);
    names::has(words(kind), &word)
        || ["statuses", "other statuses"].iter().any(|list| names::has(names::table(list), &word))
}

/// Statuses that a misspelling may stand for.
fn words(kind: &Kind) -> &'static str {
    names::table(if kind.source == "sessions" { "statuses of sessions" } else { "statuses" })
}

/// Whether an element under the synonym of a dependency field names records, as far as a record can tell that has this id.
fn names_an_id(value: &Json, id: &str) -> bool {
    let begin = |id: &str| {
        let end = id.find(|letter: char| letter.is_ascii_digit())?;
        Some(id[..end].to_lowercase())
    };
    let begins_like_one = |piece: &str| {
        begin(piece).is_some_and(|start| {
            begin(id).as_ref() == Some(&start) || ["us-", "tech-", "bug-"].contains(&&*start)
        })
    };
    let named = if let Json::Map(_) = value { value.get("id") } else { Some(value) };
    match named {
        Some(Json::Number(_)) => true,
        Some(Json::Text(text)) => {
            let text = text.plain.as_deref().expect("such records are skipped");
            let pieces = dependencies::pieces(text);
            !pieces.is_empty() && pieces.into_iter().all(begins_like_one)
        }
        _ => false,
    }
}

fn is_time(kind: &Kind, value: &Json) -> bool {
    let read = if kind.source == "bus" { time::of_message } else { time::of_record };
    read(value).is_some()
}

/// Whether a value in place of a time stands for one, and cannot be read.
fn is_unreadable(kind: &Kind, value: &Json) -> bool {
    let is_placeholder = |text: &str| {
        let text = text.trim().to_lowercase();
        text.is_empty() || names::has(names::table("placeholders"), &text)
    };
    match value {
        Json::Null | Json::Bool(_) => false,
        value => !value.plain().is_some_and(is_placeholder) && !is_time(kind, value),
    }
}

/// The members of a record that are times and cannot be read.
fn times_of<'a>(kind: &Kind, record: &'a Record) -> Vec<&'a str> {
    let is_wrong = |(name, value): &(&str, &Json)| {
        names::has(names::table("times"), name) && is_unreadable(kind, value)
    };
    members(&record.body).filter(is_wrong).map(|(name, _)| name).collect()
}

fn has_no_text_as_status(kind: &Kind, record: &Record) -> bool {
    let value = kind.status.and_then(|name| record.body.get(name));
    !matches!(value, None | Some(Json::Null | Json::Text(_)))
}

fn is_status_misspelled(kind: &Kind, record: &Record, all: &[Record]) -> bool {
    let Some(member) = kind.status else { return false };
    let spelled = |record: &Record| {
        record.body.get(member)?.plain().map(|text| tally::canonical(text, tally::DONE))
    };
    let Some(word) = spelled(record) else { return false };
    let times = all.iter().filter(|other| spelled(other).as_ref() == Some(&word)).count();
    let is_like = |known: &str| likeness(&word, known, most_of_status(known)).is_some();
    times == 1 && !is_known_status(kind, &word) && words(kind).split_whitespace().any(is_like)
}

fn unknown_dependencies(record: &Record, all: &[Record]) -> usize {
    let named = dependencies::named(record, all);
    let is_unknown = |id: &&String| !all.iter().any(|other| other.id == **id);
    named.ids.iter().filter(is_unknown).count() + usize::from(named.has_unread)
}

/// Tasks that contradict a story of the same id.
pub(crate) fn shared(stories: &[Record], tasks: &[Record]) -> Vec<Problem> {
    let is_name = |id: &str| {
        id.chars().any(char::is_alphabetic) && id.bytes().any(|byte| byte.is_ascii_digit())
    };
    let contradicts = |task: &&Record| {
        let story = stories.iter().find(|story| story.id == task.id && is_name(&story.id));
        story.is_some_and(|story| differ(story, task))
    };
    let entry = |task: &Record| Problem::suspicious("tasks", &task.id);
    tasks.iter().filter(contradicts).map(entry).collect()
}

fn differ(story: &Record, task: &Record) -> bool {
    let (stories, tasks) = (&dependencies::OF_STORIES, &dependencies::OF_TASKS);
    let is_reviewed = names::has(names::table("in review"), &stories.status(story));
    let is_ahead = tasks.is_done(task) && stories.is_open(story) && !is_reviewed;
    let is_behind = stories.is_done(story) && tasks.is_open(task);
    let title = |record: &Record| {
        super::derived::text(&record.body, "title name").map(|title| title.to_lowercase())
    };
    let titles = title(story).zip(title(task));
    is_ahead || is_behind || titles.is_some_and(|(one, other)| one != other)
}

/// The ids in a member of records that none of the others has, in another spelling than one of them: each with the first
/// record that has it.
pub(crate) fn other_spellings(
    kind: &Kind,
    records: &[Record],
    id_of: impl Fn(&Json) -> Option<String>,
    others: &[Record],
) -> Vec<Problem> {
    let spelled = |id: &str| {
        let letters: String = plain(id).chars().filter(|c| !c.is_ascii_digit()).collect();
        let others = |c: char| if c.is_ascii_digit() { c } else { ' ' };
        let numbers = id.chars().map(others).collect::<String>();
        let numbers = numbers.split_whitespace();
        let numbers = numbers.map(|number| number.trim_start_matches('0').to_owned());
        (letters, numbers.collect::<Vec<String>>())
    };
    let mut seen = std::collections::HashSet::new();
    let entry = |record: &Record| {
        let id = id_of(&record.body)?;
        let is_there = others.iter().any(|other| other.id == id);
        let is_meant = others.iter().any(|other| spelled(&other.id) == spelled(&id));
        let is_first = seen.insert(id.clone()) && !is_there;
        (is_first && is_meant).then(|| Problem::suspicious(kind.source, &record.id))
    };
    records.iter().filter_map(entry).collect()
}

/// The members of `status.json` that are records in the wrong place.
pub(crate) fn of_status(document: &Json, has_stories: bool) -> Vec<Problem> {
    const STORIES: &[&str] =
        &["userstories", "userstory", "story", "storys", "storylist", "storieslist"];
    const EPICS: &[&str] = &["epic", "epicslist"];
    const ANY: &str = "tickets ticket issues issue items workitems backlog backlogitems features tasks todos cards bugs";
    let is_stray = |name: &str| ["US-", "TECH-", "BUG-", "EP-"].iter().any(|p| name.starts_with(p));
    let is_wrong = |name: &str| {
        let plain = plain(name);
        let is_like = |meant: &str| likeness(name, meant, Some(1)).is_some() && plain != "stores";
        let is_listed = STORIES.contains(&&*plain) || EPICS.contains(&&*plain);
        is_listed
            || is_like("stories")
            || is_like("epics")
            || !has_stories && names::has(ANY, &plain)
    };
    let is_ours = |name: &str| ["stories", "epics"].contains(&name) || is_stray(name);
    let of_name = |name: String| {
        let value = document.get(&name)?;
        let is_record = matches!(value, Json::Map(_)) && is_nearly_stray(&name);
        let is_collection = has_objects(value) && is_wrong(&name);
        let count = usize::from(is_collection) + usize::from(is_record);
        (!is_ours(&name)).then(|| vec![Problem::suspicious("status", &name); count])
    };
    names_of(document).into_iter().filter_map(of_name).flatten().collect()
}

/// The members of a registry that may be its collection.
pub(crate) fn of_registry(document: &Json, kind: &Kind) -> Vec<Problem> {
    if document.get(kind.collection).is_some_and(|value| *value != Json::Null) {
        return Vec::new();
    }
    let others: &[&str] = match kind.collection {
        "tasks" => &["task", "todo", "todos", "items", "jobs"],
        _ => &["session", "agents", "workers"],
    };
    let is_wrong = |name: &String| {
        let is_meant =
            others.contains(&&*plain(name)) || likeness(name, kind.collection, Some(1)).is_some();
        is_meant && document.get(name).is_some_and(has_objects)
    };
    let names = names_of(document).into_iter().filter(is_wrong);
    names.map(|name| Problem::suspicious(kind.source, &name)).collect()
}

/// The names of the members at the top level, each once.
fn names_of(document: &Json) -> Vec<String> {
    let Json::Map(members) = document else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    for name in members.iter().filter_map(|(key, _)| key.plain.clone()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn has_objects(value: &Json) -> bool {
    let is_object = |value: &Json| matches!(value, Json::Map(_));
    match value {
        Json::Map(members) => members.iter().any(|(_, value)| is_object(value)),
        Json::List(items) => items.iter().any(is_object),
        _ => false,
    }
}

/// Whether a key is that of a record at the top level but for its case, or with `_`.
fn is_nearly_stray(name: &str) -> bool {
    let lower = name.to_lowercase();
    let rest = ["us", "tech", "bug", "ep"].iter().find_map(|start| lower.strip_prefix(start));
    let after = rest.and_then(|rest| rest.strip_prefix(['-', '_']));
    after.is_some_and(|after| after.starts_with(|letter: char| letter.is_ascii_digit()))
}
