//! The three JSON documents.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::values::{self, GAP};
use super::{one_of, words};

/// `status.json`.
pub(super) fn status() -> BoxedStrategy<Vec<u8>> {
    let (story, epic) = (words("members of a story"), words("members of an epic"));
    let stray_story = (values::text(&["US-1", "US-5", "TECH-1", "BUG-2"]), entry(story));
    let stray_epic = (values::text(&["EP-1", "EP-5"]), entry(epic));
    let stories = prop_oneof![4 => collection("stories", story), 1 => crowd("stories", words("crowd of stories"))];
    let parts = vec![
        vec(stray_story, 0..3).boxed(),
        stories.boxed(),
        vec(stray_epic, 0..2).boxed(),
        collection("epics", epic),
        others(),
        nearly(&["us-1", "Ep-1", "US_5", "tech-stack", "us-east-1", "bug-2"], entry(story)),
        nearly(
            &["userStories", "Stories", "stores", "tickets", "epic", "backlog", "features"],
            records(story),
        ),
    ];
    document(parts)
}

/// The session registry.
pub(super) fn sessions() -> BoxedStrategy<Vec<u8>> {
    let session = words("members of a session");
    let wrong = nearly(&["agents", "Sessions", "workers", "session", "sesions"], records(session));
    registry(collection("sessions", session), wrong)
}

/// The task registry.
pub(super) fn tasks() -> BoxedStrategy<Vec<u8>> {
    let task = words("members of a task");
    let tasks =
        prop_oneof![4 => collection("tasks", task), 1 => crowd("tasks", words("crowd of tasks"))];
    registry(tasks.boxed(), nearly(&["jobs", "Tasks", "items", "todo", "taks"], records(task)))
}

/// A registry with its collection, or with another member in its place.
fn registry(right: Members, wrong: Members) -> BoxedStrategy<Vec<u8>> {
    let null = right
        .clone()
        .prop_map(|members| members.into_iter().map(|(key, _)| (key, "null".to_owned())).collect());
    let both = document(vec![right, others(), wrong.clone()]);
    let one = document(vec![wrong.clone(), others()]);
    prop_oneof![8 => both, 2 => one, 1 => document(vec![null.boxed(), wrong])].boxed()
}

type Members = BoxedStrategy<Vec<(String, String)>>;

fn others() -> Members {
    let name = one_of(&["updated", "next_id", "us-1", "records", "__proto__", "notes"]);
    vec((name.prop_map(|name| values::quote(&name, false)), values::value()), 0..3).boxed()
}

/// The member with the records: a map or an array, rarely missing, duplicate or something else.
fn collection(name: &'static str, members: &'static [&'static str]) -> Members {
    let key = values::quote(name, false);
    let wrong = one_of(&["7", "\"x\"", "null", "true", "1e999"]);
    let some = prop_oneof![14 => records(members), 1 => wrong].boxed();
    let one = some.clone().prop_map(move |value| vec![(key.clone(), value)]);
    let key = values::quote(name, false);
    let two = (some.clone(), some)
        .prop_map(move |(one, two)| vec![(key.clone(), one), (key.clone(), two)]);
    prop_oneof![1 => Just(Vec::new()), 30 => one, 1 => two].boxed()
}

/// Records in a map or an array.
fn records(members: &'static [&'static str]) -> BoxedStrategy<String> {
    let keyed = vec((values::id(), entry(members)), 0..9).prop_map(|entries| values::map(&entries));
    let listed = vec(entry(members), 0..9).prop_map(|entries| values::list(&entries));
    prop_oneof![8 => keyed, 6 => listed].boxed()
}

/// Sometimes a member that is nearly one of those that are read.
fn nearly(names: &'static [&'static str], value: BoxedStrategy<String>) -> Members {
    let one = (one_of(names).prop_map(|name| values::quote(&name, false)), value);
    prop_oneof![1 => Just(Vec::new()), 1 => vec(one, 1..3)].boxed()
}

/// About thirty records, of which about a tenth have a name.
fn crowd(collection: &'static str, names: &'static [&'static str]) -> Members {
    let key = values::quote(collection, false);
    values::crowd(names)
        .prop_map(move |records| {
            let id = |at: usize| values::quote(&format!("US-{at}"), false);
            let records: Vec<_> =
                records.into_iter().enumerate().map(|(at, record)| (id(at), record)).collect();
            vec![(key.clone(), values::map(&records))]
        })
        .boxed()
}

/// Usually a record; sometimes another value.
fn entry(names: &'static [&'static str]) -> BoxedStrategy<String> {
    let member = select(names)
        .prop_flat_map(|name| (Just(values::quote(name, false)), values::value_of(name)));
    let id = prop_oneof![4 => values::id(), 1 => one_of(&["7", "12", "1.0"])]
        .prop_map(|id| ("\"id\"".to_owned(), id));
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
