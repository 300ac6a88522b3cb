//! The three JSON documents.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::one_of;
use super::values::{self, GAP};

const STORY: &[&str] = &[
    "id",
    "title",
    "epic",
    "epicId",
    "epic_id",
    "status",
    "status",
    "owner",
    "owner",
    "points",
    "active",
    "progress",
    "depends_on",
    "depends_on",
    "blockedBy",
    "deps",
    "ready",
    "waits_for",
    "failed_at",
    "updated_at",
    "title",
];
const EPIC: &[&str] = &["id", "title", "status", "owner", "declared", "progress", "story_ids"];
const SESSION: &[&str] = &[
    "id",
    "branch",
    "status",
    "ended_at",
    "closed_at",
    "active",
    "story",
    "nickname",
    "agent",
    "last_active",
    "createdAt",
];
const TASK: &[&str] = &[
    "id",
    "description",
    "state",
    "state",
    "status",
    "story",
    "storyId",
    "story_id",
    "agent",
    "agent_type",
    "subagent_type",
    "x",
    "dependencies",
    "dependsOn",
    "blocked_by",
    "blockedBy",
    "ready",
    "waits_for",
    "failed_at",
    "updated_at",
    "title",
];

/// `status.json`.
pub(super) fn status() -> BoxedStrategy<Vec<u8>> {
    let stray_story = (values::text(&["US-1", "US-5", "TECH-1", "BUG-2"]), entry(STORY));
    let stray_epic = (values::text(&["EP-1", "EP-5"]), entry(EPIC));
    let parts = vec![
        vec(stray_story, 0..3).boxed(),
        collection("stories", STORY),
        vec(stray_epic, 0..2).boxed(),
        collection("epics", EPIC),
        others(),
    ];
    document(parts)
}

/// The session registry.
pub(super) fn sessions() -> BoxedStrategy<Vec<u8>> {
    document(vec![others(), collection("sessions", SESSION)])
}

/// The task registry.
pub(super) fn tasks() -> BoxedStrategy<Vec<u8>> {
    document(vec![collection("tasks", TASK), others()])
}

type Members = BoxedStrategy<Vec<(String, String)>>;

fn others() -> Members {
    let name = one_of(&["updated", "next_id", "us-1", "records", "__proto__", "notes"]);
    vec((name.prop_map(|name| values::quote(&name, false)), values::value()), 0..3).boxed()
}

/// The member with the records: a map or an array, rarely missing, duplicate or something else.
fn collection(name: &'static str, members: &'static [&'static str]) -> Members {
    let key = values::quote(name, false);
    let keyed = vec((values::id(), entry(members)), 0..9).prop_map(|entries| values::map(&entries));
    let listed = vec(entry(members), 0..9).prop_map(|entries| values::list(&entries));
    let wrong = one_of(&["7", "\"x\"", "null", "true", "1e999"]);
    let some = prop_oneof![8 => keyed, 6 => listed, 1 => wrong].boxed();
    let one = some.clone().prop_map(move |value| vec![(key.clone(), value)]);
    let key = values::quote(name, false);
    let two = (some.clone(), some)
        .prop_map(move |(one, two)| vec![(key.clone(), one), (key.clone(), two)]);
    prop_oneof![1 => Just(Vec::new()), 30 => one, 1 => two].boxed()
}

/// Usually a record; sometimes another value.
fn entry(names: &'static [&'static str]) -> BoxedStrategy<String> {
    let member = select(names)
        .prop_flat_map(|name| (Just(values::quote(name, false)), values::value_of(name)));
    let id = values::id().prop_map(|id| ("\"id\"".to_owned(), id));
    let with_id = (id, vec(member.clone(), 0..6)).prop_map(|(id, mut members)| {
        members.insert(members.len() / 2, id);
        values::map(&members)
    });
    let without = vec(member, 0..6).prop_map(|members| values::map(&members));
    prop_oneof![10 => with_id, 10 => without, 1 => values::value()].boxed()
}

fn document(parts: Vec<Members>) -> BoxedStrategy<Vec<u8>> {
    let style = one_of(&["", "", " ", "\n  ", "\t", "\r\n", " \r \t\n"]);
    let whole = (parts, style, one_of(&["", "", "\u{feff}"]), one_of(&["", "\n", " \r\n\n"]));
    let text = whole.prop_map(|(parts, style, before, after)| {
        let body = values::map(&parts.concat()).replace(GAP, &style);
        format!("{before}{body}{after}").into_bytes()
    });
    (text, damage(), any::<prop::sample::Index>())
        .prop_map(|(bytes, damage, at)| damage.apply(bytes, at))
        .boxed()
}

/// The damage of a file by a careless writer.
#[derive(Debug, Clone)]
pub(super) enum Damage {
    None,
    Cut,
    /// These bytes are somewhere in it.
    Insert(&'static [u8]),
    Append(&'static [u8]),
    /// A separate member with nesting of this depth.
    Nest(usize),
    Replace(&'static [u8]),
}

fn damage() -> BoxedStrategy<Damage> {
    let bytes: &'static [&'static [u8]] = &[
        b"\0",
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"{",
        b"\"",
        b",",
        b"\\u12",
        b"\n",
        b"\xef\xbb\xbf",
    ];
    let whole: &'static [&'static [u8]] =
        &[b"", b" \n", b"[]", b"null", b"\xef\xbb\xbf", b"{}", b"{}{}"];
    prop_oneof![
        40 => Just(Damage::None),
        2 => Just(Damage::Cut),
        2 => select(bytes).prop_map(Damage::Insert),
        1 => select(bytes).prop_map(Damage::Append),
        1 => (126..130_usize).prop_map(Damage::Nest),
        1 => select(whole).prop_map(Damage::Replace),
    ]
    .boxed()
}

impl Damage {
    pub(super) fn apply(self, mut bytes: Vec<u8>, at: prop::sample::Index) -> Vec<u8> {
        let at = at.index(bytes.len() + 1);
        match self {
            Self::None => {}
            Self::Cut => bytes.truncate(at),
            Self::Insert(more) => drop(bytes.splice(at..at, more.iter().copied())),
            Self::Append(more) => bytes.extend(more),
            Self::Nest(levels) => {
                let place = bytes.iter().position(|byte| *byte == b'{').map_or(0, |at| at + 1);
                let nest = format!("\"deep\":{}{},", "[".repeat(levels), "]".repeat(levels));
                bytes.splice(place..place, nest.into_bytes());
            }
            Self::Replace(whole) => bytes = whole.to_vec(),
        }
        bytes
    }
}
