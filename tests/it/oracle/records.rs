//! Epics, stories, sessions and tasks as served, from a complete document.

use super::dependencies::{OF_STORIES, OF_TASKS, Words};
use super::json::{Json, Text};
use super::problem::{Level, Problem};

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
    pub(crate) aliases: &'static [Alias],
    /// Names that the server computes.
    computed: &'static [&'static str],
    /// The member whose value is a status.
    pub(crate) status: Option<&'static str>,
    /// The statuses of records with dependencies.
    pub(crate) words: Option<&'static Words>,
}

pub(crate) const STORIES: Kind = Kind {
    source: "status",
    collection: "stories",
    strays: &["US-", "TECH-", "BUG-"],
    aliases: &[
        ("epic_id", &["epic", "epicId"]),
        ("status", &["state"]),
        ("owner", &["assignee", "assigned_to", "assignedTo"]),
        ("title", &["name"]),
    ],
    computed: &[],
    status: Some("status"),
    words: Some(&OF_STORIES),
};
pub(crate) const EPICS: Kind = Kind {
    source: "status",
    collection: "epics",
    strays: &["EP-"],
    aliases: &[("status", &["state"]), ("title", &["name"])],
    computed: &["declared", "progress", "story_ids"],
    status: Some("status"),
    words: None,
};
pub(crate) const SESSIONS: Kind = Kind {
    source: "sessions",
    collection: "sessions",
    strays: &[],
    aliases: &[],
    computed: &["active"],
    status: Some("status"),
    words: None,
};
pub(crate) const TASKS: Kind = Kind {
    source: "tasks",
    collection: "tasks",
    strays: &[],
    aliases: &[
        ("story_id", &["story", "storyId"]),
        ("subagent_type", &["agent_type", "agent"]),
        ("state", &["status"]),
        ("title", &["name"]),
    ],
    computed: &[],
    status: Some("state"),
    words: Some(&OF_TASKS),
};
pub(crate) const MESSAGES: Kind = Kind {
    source: "bus",
    collection: "messages",
    strays: &[],
    aliases: &[
        ("story_id", &["story", "storyId"]),
        ("from", &["agent", "sender", "author"]),
        ("timestamp", &["ts", "at", "time", "created_at"]),
        ("to", &["recipient"]),
        ("type", &["kind"]),
    ],
    computed: &[],
    status: None,
    words: None,
};

/// A record as served, without computed members.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) id: String,
    /// The id as it is on disk.
    raw_id: Json,
    pub(crate) body: Json,
}

impl Record {
    /// A record that is not from a file.
    pub(crate) fn made(id: &str) -> Self {
        let raw_id = Json::text(id);
        Self { id: id.to_owned(), body: Json::map(vec![("id", raw_id.clone())]), raw_id }
    }

    /// The record with computed members at its end.
    pub(crate) fn with(&self, more: Vec<(&str, Json)>) -> Json {
        let Json::Map(mut members) = self.body.clone() else { unreachable!("records are maps") };
        members.extend(more.into_iter().map(|(name, value)| (Text::made(name), value)));
        Json::Map(members)
    }
}

/// The position of a key that has no value as text.
pub(crate) fn unreadable(key: &Text) -> String {
    format!("\"{}\"", key.raw)
}

/// The problems of a document's own members: keys that are no text, then what a later member of the same name replaces.
pub(crate) fn of_members(document: &Json, source: &'static str) -> Vec<Problem> {
    let Json::Map(members) = document else { return Vec::new() };
    let strange = members.iter().filter(|(key, _)| key.plain.is_none());
    let mut ids: Vec<String> = strange.map(|(key, _)| unreadable(key)).collect();
    for (at, (key, value)) in members.iter().enumerate() {
        let is_replaced = members[at + 1..].iter().any(|(later, _)| later.plain == key.plain);
        let has_records = match value {
            Json::Map(_) => true,
            Json::List(items) => items.iter().any(|item| matches!(item, Json::Map(_))),
            _ => false,
        };
        ids.extend(key.plain.clone().filter(|_| is_replaced && has_records));
    }
    ids.iter().map(|id| Problem::of(source, id, Level::Skipped)).collect()
}

/// All records of a collection in the order in which they are served, and its problems. Stories may be in `epics` too.
pub(crate) fn collect(
    document: &Json,
    kind: &Kind,
    epics: &[Record],
) -> (Vec<Record>, Vec<Problem>) {
    let mut found = Found { kind, records: Vec::new(), problems: Vec::new(), inherited: None };
    match document.get(kind.collection) {
        None | Some(Json::Null) => {}
        Some(Json::Map(members)) => found.add_map(members),
        Some(Json::List(items)) => found.add_list(items, kind.collection),
        Some(_) => found.problem(kind.collection, Level::Skipped),
    }
    found.add_strays(document);
    found.add_nested(epics);
    (found.records, found.problems)
}

/// Whether a value under a documented name or an alias counts as none: null, and for ids and names the empty text.
pub(crate) fn is_absent(name: &str, value: &Json) -> bool {
    let named = ["id", "epic_id", "owner", "story_id", "parent", "from"].contains(&name);
    *value == Json::Null || named && value.plain() == Some("")
}

/// Sets each documented name that is missing or absent to the value of its first alias that has one. `epic` is the id of
/// the epic that contains the record.
pub(crate) fn fill_aliases(members: &mut Vec<Member>, aliases: &[Alias], epic: Option<&Json>) {
    for (name, others) in aliases {
        let value = |wanted: &str| {
            let found = members.iter().find(|(key, _)| key.is(wanted));
            found.map(|(_, value)| value).filter(|value| !is_absent(name, value))
        };
        if value(name).is_some() {
            continue;
        }
        let inherited = epic.filter(|_| *name == "epic_id").cloned();
        let of_alias = others.iter().find_map(|other| as_alias(name, value(other)?));
        let Some(found) = of_alias.or(inherited) else { continue };
        match members.iter_mut().find(|(key, _)| key.is(name)) {
            Some(absent) => absent.1 = found,
            None => members.push((Text::made(name), found)),
        }
    }
}

/// The value that an alias gives: the first text of several owners, else itself.
fn as_alias(name: &str, value: &Json) -> Option<Json> {
    match value {
        Json::List(items) if name == "owner" => {
            let is_text = |item: &&Json| item.plain().is_some_and(|text| !text.is_empty());
            items.iter().find(is_text).cloned()
        }
        value => Some(value.clone()),
    }
}

struct Found<'a> {
    kind: &'a Kind,
    records: Vec<Record>,
    problems: Vec<Problem>,
    /// Of records in an epic: its id, and the number of records before all such, which take precedence.
    inherited: Option<(Json, usize)>,
}

impl Found<'_> {
    fn problem(&mut self, id: &str, level: Level) {
        self.problems.push(Problem::of(self.kind.source, id, level));
    }

    fn add_map(&mut self, members: &[Member]) {
        for (key, _) in members.iter().filter(|(key, _)| key.plain.is_none()) {
            self.problem(&unreadable(key), Level::Skipped);
        }
        for (key, value) in members.iter().filter(|(key, _)| key.plain.is_some()) {
            self.add_keyed(key, value);
        }
    }

    fn add_list(&mut self, items: &[Json], name: &str) {
        for (at, item) in items.iter().enumerate() {
            let place = format!("{name}[{at}]");
            if self.inherited.is_some() && !matches!(item, Json::Map(_)) {
                continue;
            }
            let Some(members) = servable(item) else {
                self.problem(&place, Level::Skipped);
                continue;
            };
            let inner = members.iter().find(|(name, _)| name.is("id")).map(|(_, id)| id.clone());
            let id = match &inner {
                Some(Json::Text(text)) => text.plain.clone(),
                Some(Json::Number(text)) => Some(text.clone()),
                _ => None,
            };
            match (id.filter(|id| !id.is_empty()), inner) {
                (Some(id), Some(raw)) => self.insert(&id, raw, members),
                _ => self.problem(&place, Level::Skipped),
            }
        }
    }

    /// Adds a record whose id is its key.
    fn add_keyed(&mut self, key: &Text, value: &Json) {
        let id = key.plain.clone().expect("others are skipped");
        match servable(value).filter(|_| !id.is_empty()) {
            Some(members) => self.insert(&id, Json::Text(key.clone()), members),
            None => self.problem(&id, Level::Skipped),
        }
    }

    /// Adds the record. Of several with one id the last wins, but one in an epic never takes the place of one outside.
    fn insert(&mut self, id: &str, raw_id: Json, mut members: Vec<Member>) {
        let place = self.records.iter().position(|other| other.id == id);
        let epic = self.inherited.clone();
        if let (Some(place), Some((_, before))) = (place, &epic)
            && place < *before
        {
            return self.problem(id, Level::Skipped);
        }
        if put_id(&mut members, id) {
            self.problem(id, Level::Repaired);
        }
        for name in self.kind.computed {
            let before = members.len();
            members.retain(|(key, _)| !key.is(name));
            if members.len() < before {
                self.problem(id, Level::Repaired);
            }
        }
        fill_aliases(&mut members, self.kind.aliases, epic.as_ref().map(|(epic, _)| epic));
        let record = Record { id: id.to_owned(), raw_id, body: Json::Map(members) };
        match place {
            None => self.records.push(record),
            Some(place) => {
                self.records[place] = record;
                self.problem(id, Level::Skipped);
            }
        }
    }

    /// Adds the records at the top level of the document. A nested one with the same id takes precedence.
    fn add_strays(&mut self, document: &Json) {
        let Json::Map(members) = document.clone() else { return };
        let is_ours = |key: &Text| {
            let plain = key.plain.as_deref().unwrap_or_default();
            self.kind.strays.iter().any(|prefix| plain.starts_with(prefix))
        };
        let mut strays: Vec<Text> = Vec::new();
        for (key, _) in members.into_iter().filter(|(key, _)| is_ours(key)) {
            if !strays.iter().any(|other| other.plain == key.plain) {
                strays.push(key);
            }
        }
        let nested: Vec<String> = self.records.iter().map(|record| record.id.clone()).collect();
        for key in strays {
            let id = key.plain.as_deref().unwrap_or_default();
            match document.get(id) {
                Some(value) if !nested.iter().any(|other| other == id) => {
                    self.add_keyed(&key, value);
                }
                _ => self.problem(id, Level::Skipped),
            }
        }
    }

    /// Adds the records inside epics.
    fn add_nested(&mut self, epics: &[Record]) {
        let before = self.records.len();
        for epic in epics {
            self.inherited = Some((epic.raw_id.clone(), before));
            match epic.body.get("stories") {
                Some(Json::Map(members)) => {
                    for (key, value) in members {
                        if matches!(value, Json::Map(_)) {
                            self.add_keyed(key, value);
                        }
                    }
                }
                Some(Json::List(items)) => self.add_list(items, &format!("{}.stories", epic.id)),
                _ => {}
            }
        }
    }
}

/// The members of a record, each once; `None` if it has to be skipped.
fn servable(value: &Json) -> Option<Vec<Member>> {
    match value.clone().without_doubles() {
        Json::Map(members) if !value.is_unservable() => Some(members),
        _ => None,
    }
}

/// Adds the member `id` in its normalised spelling. Returns whether that was a repair.
fn put_id(members: &mut Vec<Member>, id: &str) -> bool {
    let Some((_, inner)) = members.iter_mut().find(|(name, _)| name.is("id")) else {
        members.insert(0, (Text::made("id"), Json::text(id)));
        return false;
    };
    let old = std::mem::replace(inner, Json::text(id));
    match old {
        absent if is_absent("id", &absent) => false,
        Json::Text(text) => !text.is(id),
        Json::Number(text) => text != id,
        _ => true,
    }
}
