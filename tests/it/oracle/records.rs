//! Epics, stories, sessions and tasks as served, from a complete document.

use super::json::{Json, Text};
use super::{At, Problem};

/// One member of a record, with its key.
pub(crate) type Member = (Text, Json);

/// A documented name and its aliases, in order of precedence.
pub(crate) type Alias = (&'static str, &'static [&'static str]);

/// The differences between collections.
pub(crate) struct Kind {
    pub(crate) source: &'static str,
    pub(crate) collection: &'static str,
    /// Prefixes of top-level keys that are records of this collection too.
    strays: &'static [&'static str],
    aliases: &'static [Alias],
    /// Names that the server computes.
    computed: &'static [&'static str],
}

pub(crate) const STORIES: Kind = Kind {
    source: "status",
    collection: "stories",
    strays: &["US-", "TECH-", "BUG-"],
    aliases: &[("epic_id", &["epic", "epicId"])],
    computed: &[],
};
pub(crate) const EPICS: Kind = Kind {
    source: "status",
    collection: "epics",
    strays: &["EP-"],
    aliases: &[],
    computed: &["declared", "progress", "story_ids"],
};
pub(crate) const SESSIONS: Kind = Kind {
    source: "sessions",
    collection: "sessions",
    strays: &[],
    aliases: &[],
    computed: &["active"],
};
pub(crate) const TASKS: Kind = Kind {
    source: "tasks",
    collection: "tasks",
    strays: &[],
    aliases: &[
        ("story_id", &["story", "storyId"]),
        ("subagent_type", &["agent_type", "agent"]),
        ("state", &["status"]),
    ],
    computed: &[],
};

/// A record as served, without computed members.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) body: Json,
    /// What was repaired in it.
    repairs: Vec<Problem>,
}

impl Record {
    /// A record that is not from a file.
    pub(crate) fn made(id: &str) -> Self {
        Self { id: id.to_owned(), body: Json::map(vec![("id", Json::text(id))]), repairs: vec![] }
    }

    /// The record with computed members at its end.
    pub(crate) fn with(&self, more: Vec<(&str, Json)>) -> Json {
        let Json::Map(mut members) = self.body.clone() else { unreachable!("records are maps") };
        members.extend(more.into_iter().map(|(name, value)| (Text::made(name), value)));
        Json::Map(members)
    }
}

/// All records of a collection in the order in which they are served, and its problems.
pub(crate) fn collect(document: &Json, kind: &Kind) -> (Vec<Record>, Vec<Problem>) {
    let mut found = Found { kind, records: Vec::new(), problems: Vec::new() };
    match document.get(kind.collection) {
        None => {}
        Some(Json::Null) => found.problem(None, false),
        Some(Json::Map(members)) => {
            for (key, value) in members {
                found.add(Some(key), value);
            }
        }
        Some(Json::List(items)) => items.iter().for_each(|item| found.add(None, item)),
        Some(_) => found.problem(None, true),
    }
    found.add_strays(document);
    let Found { records, mut problems, .. } = found;
    problems.extend(records.iter().flat_map(|record| record.repairs.clone()));
    (records, problems)
}

/// Whether a value under a documented name or an alias counts as none: null, and for ids and names the empty text.
pub(crate) fn is_absent(name: &str, value: &Json) -> bool {
    let named = ["id", "epic_id", "owner", "story_id", "from"].contains(&name);
    *value == Json::Null || named && value.plain() == Some("")
}

/// Sets each documented name that is missing or absent to the value of its first alias that has one.
pub(crate) fn fill_aliases(members: &mut Vec<Member>, aliases: &[Alias]) {
    for (name, others) in aliases {
        let value = |wanted: &str| {
            members.iter().find(|(key, value)| key.is(wanted) && !is_absent(name, value))
        };
        if value(name).is_some() {
            continue;
        }
        let Some(found) = others.iter().find_map(|other| value(other)) else { continue };
        let found = found.1.clone();
        match members.iter_mut().find(|(key, _)| key.is(name)) {
            Some(absent) => absent.1 = found,
            None => members.push((Text::made(name), found)),
        }
    }
}

struct Found<'a> {
    kind: &'a Kind,
    records: Vec<Record>,
    problems: Vec<Problem>,
}

impl Found<'_> {
    fn problem(&mut self, id: Option<&str>, certain: bool) {
        self.problems.push(problem(self.kind, id, certain));
    }

    /// Adds one entry of the collection, which has a key in a map and none in an array.
    fn add(&mut self, key: Option<&Text>, value: &Json) {
        let Some(record) = served(self.kind, key, value) else {
            return self.problem(key.and_then(|key| key.plain.as_deref()), true);
        };
        match self.records.iter().position(|other| other.id == record.id) {
            None => self.records.push(record),
            Some(at) => {
                self.problem(Some(&record.id), true);
                let lost = std::mem::replace(&mut self.records[at], record);
                let repairs =
                    lost.repairs.into_iter().map(|repair| Problem { certain: false, ..repair });
                self.problems.extend(repairs);
            }
        }
    }

    /// Adds the records at the top level of the document. A nested one with the same id takes precedence.
    fn add_strays(&mut self, document: &Json) {
        let Json::Map(members) = document else { return };
        let nested: Vec<String> = self.records.iter().map(|record| record.id.clone()).collect();
        let mut seen: Vec<&Text> = Vec::new();
        for (key, _) in members {
            let Some(id) = key.plain.as_deref() else { continue };
            if !self.kind.strays.iter().any(|prefix| id.starts_with(prefix)) {
                continue;
            }
            if seen.iter().any(|other| other.plain == key.plain) {
                self.problem(Some(id), false);
                continue;
            }
            seen.push(key);
            match document.get(id) {
                Some(value) if !nested.iter().any(|other| other == id) => {
                    self.add(Some(key), value);
                }
                _ => self.problem(Some(id), true),
            }
        }
    }
}

fn problem(kind: &Kind, id: Option<&str>, certain: bool) -> Problem {
    Problem { source: kind.source, at: At::Id(id.map(str::to_owned)), certain }
}

/// The record as served; `None` if it has to be skipped.
fn served(kind: &Kind, key: Option<&Text>, value: &Json) -> Option<Record> {
    if !matches!(value, Json::Map(_)) || value.is_unservable() {
        return None;
    }
    let Json::Map(mut members) = value.clone().without_doubles() else { return None };
    let inner = members.iter().find(|(name, _)| name.is("id")).map(|(_, id)| id.clone());
    let id = match key {
        Some(key) => key.plain.clone()?,
        None => match inner {
            Some(Json::Text(text)) => text.plain?,
            Some(Json::Number(text)) => text,
            _ => return None,
        },
    };
    if id.is_empty() {
        return None;
    }
    let mut repairs = Vec::new();
    if let Some(certain) = put_id(&mut members, &id) {
        repairs.push(problem(kind, Some(&id), certain));
    }
    for name in kind.computed {
        let before = members.len();
        members.retain(|(key, _)| !key.is(name));
        if members.len() < before {
            repairs.push(problem(kind, Some(&id), true));
        }
    }
    fill_aliases(&mut members, kind.aliases);
    Some(Record { id, body: Json::Map(members), repairs })
}

/// Adds the member `id` in its normalised spelling. Returns whether that was a repair, and whether the contract is
/// certain about it.
fn put_id(members: &mut Vec<Member>, id: &str) -> Option<bool> {
    let Some((_, inner)) = members.iter_mut().find(|(name, _)| name.is("id")) else {
        members.insert(0, (Text::made("id"), Json::text(id)));
        return None;
    };
    let old = std::mem::replace(inner, Json::text(id));
    match old {
        Json::Text(text) if text.is(id) => None,
        Json::Number(text) if text == id => None,
        Json::Null => Some(false),
        Json::Text(text) if text.is("") => Some(false),
        _ => Some(true),
    }
}
