//! A record: its documented fields, their aliases, and the form in which it is served.
//!
//! It changes no value: it fills in documented names, sets the id and adds computed members.

use std::borrow::Cow;

use super::fault::Fault;
use super::json::{self, Escapes, Member, Members};
pub use super::kind::Kind;
use super::name::Name;
use super::time;

/// The documented names for which an empty text counts as absent: ids, and names of people or things.
const NAMES: [&str; 6] = ["id", "epic_id", "owner", "story_id", "parent", "from"];

/// Whether a value of a documented name, or of one of its aliases, counts as absent.
pub(super) fn is_absent(name: &str, raw: &str) -> bool {
    json::is_null(raw) || raw == "\"\"" && NAMES.contains(&name)
}

/// How a documented name without an own value gets that of an alias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filled<'a> {
    /// A member is added, with this value as it is on disk.
    Added(&'a str),
    /// The null or empty value of a member is replaced.
    Replaced,
}

/// A record's members, without duplicates.
#[derive(Debug)]
pub struct Record<'a> {
    kind: Kind,
    members: Vec<Member<'a>>,
    escapes: Escapes,
    /// The epic that contains the story in its record, as it is on disk.
    epic: Option<&'a str>,
}

impl<'a> Record<'a> {
    /// Reads a record of valid syntax.
    ///
    /// # Errors
    /// When it is not an object, or part of it cannot be read ([`json::check`]).
    pub fn read(kind: Kind, raw: &'a str) -> Result<Self, Fault> {
        Self::of_members(kind, json::members(raw)?)
    }

    /// Reads a record from its members.
    ///
    /// # Errors
    /// When part of it cannot be read ([`json::check`]).
    pub fn of_members(kind: Kind, members: Members<'a>) -> Result<Self, Fault> {
        // Before duplicates are removed: an unreadable part makes the record unreadable wherever it is.
        for member in &members.list {
            json::check(member.value, members.escapes)?;
        }
        Ok(Self { kind, escapes: members.escapes, members: members.unique()?, epic: None })
    }

    /// The same story within the record of an epic, whose id is given as it is on disk: that of the story, unless it
    /// names another.
    #[must_use]
    pub fn within(self, epic: Option<&'a str>) -> Self {
        Self { epic, ..self }
    }

    /// A member's value as it is on disk, which may be null.
    pub fn member(&self, name: &str) -> Option<&'a str> {
        self.members.iter().find(|member| member.name == name).map(|member| member.value)
    }

    /// Its members as they are on disk, without duplicates.
    pub fn members(&self) -> &[Member<'a>] {
        &self.members
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The value of a documented name, or of the first of its aliases that has one. Null and empty names count as
    /// absent.
    pub fn field(&self, name: &str) -> Option<&'a str> {
        let present = |member: &str| self.member(member).filter(|raw| !is_absent(name, raw));
        if let Some(value) = present(name) {
            return Some(value);
        }
        let aliases = self.kind.filled().iter().find(|row| row.documented() == name)?.others();
        let of_alias = |alias: &&str| present(alias).and_then(|raw| alias_value(name, raw));
        let inherited = self.epic.filter(|_| name == "epic_id");
        aliases.iter().find_map(of_alias).or(inherited)
    }

    /// The same as text to compare and count by.
    pub fn word(&self, name: &str) -> Option<Cow<'a, str>> {
        self.field(name).and_then(|raw| json::word_with(raw, self.escapes))
    }

    /// Whether its status follows from the boxes of its tasks.
    pub fn follows_from_boxes(&self) -> bool {
        self.word("status_source").is_some_and(|source| source == "boxes")
    }

    /// A value as a time, in nanoseconds since 1970.
    pub fn time(&self, name: &str) -> Option<i64> {
        time::of_json(self.field(name)?)
    }

    /// The first of several members that is a readable time, in nanoseconds since 1970.
    pub fn first_time(&self, names: &[&str]) -> Option<i64> {
        names.iter().find_map(|name| time::of_member(self.member(name)?))
    }

    /// The first of several members that is a text and not blank, trimmed.
    pub fn text(&self, names: &[&str]) -> Option<String> {
        let text = |name: &&str| {
            let raw = self.member(name).filter(|raw| raw.starts_with('"'))?;
            let text = json::string(raw).ok()?.trim().to_owned();
            Some(text).filter(|text| !text.is_empty())
        };
        names.iter().find_map(text)
    }

    /// Its title or name; `None` if that is only its id.
    pub fn title(&self) -> Option<String> {
        let names: &[&str] = match self.kind {
            Kind::Story | Kind::Epic => &["title"],
            Kind::Task => &["description", "title"],
            Kind::Session => &["nickname"],
            Kind::Message => &["message"],
        };
        names.iter().find_map(|name| self.text(self.kind.spellings(name)))
    }

    /// The own members that computed ones replace.
    pub fn replaced(&self) -> impl Iterator<Item = &'static str> {
        self.kind.computed().iter().copied().filter(|name| self.member(name).is_some())
    }

    /// The own members that computed ones replace if the record has dependencies.
    pub fn replaced_by_dependencies(&self) -> impl Iterator<Item = &'static str> {
        let names = self.kind.computed_of_dependencies().iter().copied();
        names.filter(|name| self.member(name).is_some())
    }

    /// The value that a documented name gets from an alias, and whether it replaces a null or empty one.
    pub fn filled(&self, row: &Name) -> Option<Filled<'a>> {
        let documented = self.member(row.documented());
        if documented.is_some_and(|raw| !is_absent(row.documented(), raw)) {
            return None;
        }
        let value = self.field(row.documented())?;
        Some(if documented.is_some() { Filled::Replaced } else { Filled::Added(value) })
    }

    /// Whether `text`, which this record was read from, is what [`Record::write`] writes, apart from documented names
    /// that are filled from an alias.
    pub fn is_compact(&self, text: &str) -> bool {
        // Removed duplicates make the list shorter than the text, just like white space.
        let members: usize = self.members.iter().map(|m| m.key.len() + m.value.len() + 2).sum();
        text.len() == members + if self.members.is_empty() { 2 } else { 1 }
            && self.members.iter().all(|member| json::is_compact(member.value))
    }

    /// Writes the record as it is served: first the id if it has no own one, then its members with documented names
    /// filled in, then `computed` (members without braces).
    pub fn write(&self, id: Option<&str>, computed: &[u8], out: &mut Vec<u8>) {
        out.push(b'{');
        if let Some(id) = id.filter(|_| self.member("id").is_none()) {
            write_id(id, out);
        }
        // Members that are computed for every record of the kind, and those for records with dependencies.
        let of_dependencies: &[&str] =
            if computed.is_empty() { &[] } else { self.kind.computed_of_dependencies() };
        let is_computed =
            |name: &str| self.kind.computed().contains(&name) || of_dependencies.contains(&name);
        for member in self.members.iter().filter(|member| !is_computed(&member.name)) {
            self.write_member(member, id, out);
        }
        let documented = self.kind.filled().iter().map(Name::documented);
        for name in documented.filter(|name| self.member(name).is_none()) {
            if let Some(value) = self.field(name) {
                separate(out);
                json::write_string(name, out);
                out.push(b':');
                json::write_compact(value, out);
            }
        }
        if !computed.is_empty() {
            separate(out);
            out.extend_from_slice(computed);
        }
        out.push(b'}');
    }

    fn write_member(&self, member: &Member<'_>, id: Option<&str>, out: &mut Vec<u8>) {
        separate(out);
        if let Some(id) = id.filter(|_| member.name == "id") {
            return write_id_value(id, out);
        }
        out.extend_from_slice(member.key.as_bytes());
        out.push(b':');
        let replaced = is_absent(&member.name, member.value);
        let value = if replaced { self.field(&member.name) } else { None };
        json::write_compact(value.unwrap_or(member.value), out);
    }
}

/// The value that a documented name gets from an alias: of a list of owners the first text.
pub(super) fn alias_value<'a>(name: &str, raw: &'a str) -> Option<&'a str> {
    if name != "owner" || !raw.starts_with('[') {
        return Some(raw);
    }
    let elements = json::elements(raw).unwrap_or_default();
    elements.into_iter().find(|element| element.len() > 2 && element.starts_with('"'))
}

fn separate(out: &mut Vec<u8>) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
}

fn write_id(id: &str, out: &mut Vec<u8>) {
    separate(out);
    write_id_value(id, out);
}

fn write_id_value(id: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"id\":");
    json::write_string(id, out);
}

/// A status as it is compared: without white space around it, in lower case, with `_` and space as `-`, and `done` for its two
/// synonyms.
pub fn status(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let plain = |c: char| !c.is_uppercase() && c != '_' && c != ' ';
    let spelled = if text.chars().all(plain) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.to_lowercase().replace(['_', ' '], "-"))
    };
    match spelled.as_ref() {
        "complete" | "completed" => Cow::Borrowed("done"),
        _ => spelled,
    }
}

/// The statuses ([`status`]) of a completed story.
pub const COMPLETED: [&str; 2] = ["done", "archived"];

/// Whether a session with this status ([`status`]) has ended.
pub fn is_ended(status: &str) -> bool {
    matches!(status, "ended" | "closed" | "inactive" | "done" | "stopped" | "terminated")
}

/// The documented statuses of stories. They are listed in counts even if no story has them.
pub const STORY_STATUSES: [&str; 5] = ["ready", "in-progress", "blocked", "in-review", "done"];

/// The documented states of tasks. They are listed in counts even if no task has them, and can always be filtered by.
pub const TASK_STATES: [&str; 6] =
    ["queued", "running", "completed", "failed", "blocked", "cancelled"];
