//! JSON values as text. [`GAP`] marks positions of white space, so that a file has one style throughout.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{one_of, words};

/// Stands for white space until the file's style is known. It never occurs in JSON.
pub(super) const GAP: &str = "\u{1}";

/// Ids of records: ordinary, stray, hostile.
static IDS: LazyLock<Vec<&str>> =
    LazyLock::new(|| [words("ids"), &["\u{202e}x", "a\nb", "\u{0}"]].concat());

/// The ids of most records.
const TAME_IDS: &[&str] = &["US-1", "US-2", "TECH-1", "EP-1", "EP-2", "t1", "7"];

/// Agents, owners, kinds of message.
pub(super) const WORDS: &[&str] =
    &["api", "ui", "ci", "API", "task_done", "none", "", "7", "true", "a,b", "ü", "{}", "+1"];

/// The agents that most messages are between.
const AGENTS: &[&str] = &["api", "ui", "ALL", "api"];

/// Titles, some of which are equal but for case and space.
const TITLES: &[&str] = &["One", "one ", "Two", "two", " ", ""];

/// The id of a record, unescaped.
pub(super) fn plain_id() -> BoxedStrategy<String> {
    prop_oneof![3 => one_of(TAME_IDS), 1 => one_of(&IDS)].boxed()
}

/// Usually a time, unescaped.
pub(super) fn plain_time() -> BoxedStrategy<String> {
    prop_oneof![8 => one_of(words("times")), 1 => one_of(words("no times"))].boxed()
}

/// The id of a record, as JSON.
pub(super) fn id() -> BoxedStrategy<String> {
    prop_oneof![3 => text(TAME_IDS), 1 => text(&IDS)].boxed()
}

/// Any value: usually scalars, sometimes nested, rarely one that cannot be served.
pub(super) fn value() -> BoxedStrategy<String> {
    let nested = scalar().prop_recursive(3, 12, 4, |inner| {
        let member = (key(), inner.clone());
        prop_oneof![
            vec(inner, 0..4).prop_map(|items| list(&items)),
            vec(member, 0..4).prop_map(|members| map(&members)),
        ]
    });
    prop_oneof![40 => nested, 1 => unservable()].boxed()
}

/// A value that usually fits a member of this name.
pub(super) fn value_of(name: &str) -> BoxedStrategy<String> {
    let fitting = match name {
        "id" | "parent" | "story" | "story_id" | "storyId" | "epic" | "epic_id" | "epicId"
        | "EpicID" | "stroy_id" | "parent_epic" | "user_story" => id(),
        "stories" => stories(),
        "assignee" | "assigned_to" | "assignedTo" | "assignees" => owners(),
        "status" | "state" | "stauts" | "Status" | "stage" | "stattus" | "stat" | "task_state" => {
            text(words("statuses"))
        }
        "title" | "name" | "titel" | "Title" | "headline" => text(TITLES),
        "timestamp" | "ts" | "at" | "last_active" | "createdAt" | "updated_at" | "failed_at"
        | "blockedAt" | "time" | "created_at" | "date" | "completed_at" | "craeted_at"
        | "last_actve" | "when" => {
            prop_oneof![4 => text(words("times")), 1 => text(words("no times")), 3 => one_of(words("epochs"))].boxed()
        }
        "type" | "kind" | "tpye" | "event_type" => {
            prop_oneof![3 => text(words("types of an exchange")), 1 => text(WORDS)].boxed()
        }
        "agent" | "agent_type" | "subagent_type" | "owner" | "from" | "sender" | "to"
        | "nickname" | "author" | "recipient" | "form" | "From" | "by" | "To" | "onwer"
        | "Owner" | "responsible" => prop_oneof![2 => text(AGENTS), 1 => text(WORDS)].boxed(),
        "depends_on" | "deps" | "dependencies" | "dependsOn" | "blocked_by" | "blockedBy"
        | "requires" | "needs" | "depnds_on" => dependencies(),
        "ended_at" | "endedAt" | "closed_at" => text(&["2026-03-01T10:00:00Z", "x", ""]),
        _ => return value(),
    };
    let null = Just("null".to_owned());
    prop_oneof![16 => fitting, 3 => null, 1 => scalar_or_empty(), 1 => numbers()].boxed()
}

/// Values of dependency fields: ids, one or several, reasons, or both.
fn dependencies() -> BoxedStrategy<String> {
    let sentence = (plain_id(), one_of(&[" and ", "; ", ", ", " AND "]), plain_id())
        .prop_map(|(one, between, other)| quote(&format!("{one}{between}{other}"), false));
    let object = (one_of(&["id", "id", "id", "story"]), prop_oneof![3 => id(), 1 => value()])
        .prop_map(|(name, id)| map(&[(quote(&name, false), id)]));
    let one = prop_oneof![
        6 => id(),
        4 => text(words("dependencies")),
        2 => sentence,
        1 => value(),
        2 => object,
    ]
    .boxed();
    prop_oneof![1 => one.clone(), 2 => vec(one, 0..4).prop_map(|items| list(&items))].boxed()
}

/// Values of fields with several owners.
fn owners() -> BoxedStrategy<String> {
    let one = prop_oneof![3 => text(AGENTS), 1 => text(WORDS), 1 => scalar()].boxed();
    prop_oneof![1 => one.clone(), 1 => vec(one, 0..4).prop_map(|items| list(&items))].boxed()
}

/// What an epic says of its stories: the stories themselves, their ids, or something about them.
fn stories() -> BoxedStrategy<String> {
    const NAMES: &[&str] = &["epic", "epic_id", "epic_id", "status", "title", "assignee", "Title"];
    let member = prop::sample::select(NAMES)
        .prop_flat_map(|name| (Just(quote(name, false)), value_of(name)))
        .boxed();
    let with_id = |id: String, members: Vec<(String, String)>| {
        let id = ("\"id\"".to_owned(), id);
        map(&[vec![id], members].concat())
    };
    let story = prop_oneof![
        4 => (id(), vec(member.clone(), 0..3)).prop_map(move |(id, members)| with_id(id, members)),
        2 => vec(member, 0..3).prop_map(|members| map(&members)),
        1 => scalar(),
    ]
    .boxed();
    prop_oneof![
        3 => vec((id(), story.clone()), 0..4).prop_map(|stories| map(&stories)),
        3 => vec(story, 0..4).prop_map(|stories| list(&stories)),
        1 => vec(id(), 0..3).prop_map(|ids| list(&ids)),
        1 => one_of(&["{\"total\":3}", "7", "\"none\"", "{}"]),
    ]
    .boxed()
}

/// About thirty objects, of which about a tenth have a member with one of these names.
pub(super) fn crowd(names: &'static [&'static str]) -> BoxedStrategy<Vec<String>> {
    let some = prop::sample::select(names)
        .prop_flat_map(|name| (Just(name), vec(value_of(name), 1..6)))
        .boxed();
    (27..33_usize, vec(some, 1..4))
        .prop_map(|(count, some)| {
            let object = |at: usize| {
                let of_name = |(name, values): &(&str, Vec<String>)| {
                    let value = values.get((at + name.len()) % count)?;
                    Some((quote(name, false), value.clone()))
                };
                map(&some.iter().filter_map(of_name).collect::<Vec<_>>())
            };
            (0..count).map(object).collect()
        })
        .boxed()
}

fn scalar_or_empty() -> BoxedStrategy<String> {
    prop_oneof![one_of(&["true", "false", "{}", "[]", "[1,\u{1}2]"])].boxed()
}

fn numbers() -> BoxedStrategy<String> {
    one_of(&["0", "7", "12", "-3", "1.0", "1.50", "1E+2", "123456789012345678901234567890"])
}

fn scalar() -> BoxedStrategy<String> {
    prop_oneof![
        3 => one_of(&["null", "true", "false", "0", "-0", "7", "1.50", "-1e-7", "1E+2", "1e308",
            "18446744073709551616", "123456789012345678901234567890", "0.1000000000000000000001"]),
        3 => text(WORDS),
        1 => text(&IDS),
        1 => any_text(),
    ]
    .boxed()
}

fn unservable() -> BoxedStrategy<String> {
    one_of(&[
        "1e999",
        "-1e400",
        r#""\ud800""#,
        r#""a\udc00b""#,
        r#"{"\ud83d":1}"#,
        r#"["\ud83dx"]"#,
    ])
}

/// A string with one of these values, usually without escapes.
pub(super) fn text(words: &'static [&'static str]) -> BoxedStrategy<String> {
    (one_of(words), 0..30_u8).prop_map(|(word, how)| quote(&word, how == 0)).boxed()
}

fn any_text() -> BoxedStrategy<String> {
    (any::<String>(), any::<bool>()).prop_map(|(word, escaped)| quote(&word, escaped)).boxed()
}

fn key() -> BoxedStrategy<String> {
    one_of(&["a", "b", "id", "x y", "__proto__", "ü", "", "active"])
        .prop_map(|word| quote(&word, false))
        .boxed()
}

/// A JSON string: plain, or with all its letters escaped.
pub(super) fn quote(word: &str, escaped: bool) -> String {
    if !escaped {
        return super::super::json::Json::text(word).compact();
    }
    let units: Vec<String> = word.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
    format!("\"{}\"", units.concat())
}

/// An array of these values.
pub(super) fn list(items: &[String]) -> String {
    format!("[{GAP}{}{GAP}]", items.join(&format!("{GAP},{GAP}")))
}

/// An object of these members; the keys are quoted already.
pub(super) fn map(members: &[(String, String)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{key}{GAP}:{GAP}{value}")).collect();
    format!("{{{GAP}{}{GAP}}}", members.join(&format!("{GAP},{GAP}")))
}
