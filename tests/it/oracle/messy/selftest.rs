//! Checks that the generators cover the intended cases.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::super::json::{self, Json};
use super::super::{At, Body, Level, Problem, answer, answers, is_valid};
use super::{files, queries, run};
use crate::tools::scaled;

/// Counts of observed cases.
#[derive(Default)]
struct Seen(RefCell<BTreeMap<&'static str, usize>>);

impl Seen {
    fn note(&self, what: &'static str, is_so: bool) {
        *self.0.borrow_mut().entry(what).or_default() += usize::from(is_so);
    }

    #[track_caller]
    fn check(&self, least: usize) {
        let rare: Vec<_> = self.0.take().into_iter().filter(|(_, times)| *times < least).collect();
        assert!(rare.is_empty(), "seen too seldom: {rare:?}");
    }
}

/// The answers to requests about the same files.
fn get<const N: usize>(files: &super::Files, queries: [&str; N]) -> [Json; N] {
    let mut all = answers(files, &queries).into_iter();
    queries.map(|query| {
        let Some(Body::Bytes(body)) = all.next().map(|(_, expected)| expected.body) else {
            panic!("no 200 for {query}")
        };
        json::read_answer(&body).expect("answers are JSON")
    })
}

fn number(json: &Json, path: &str) -> usize {
    let found = path.split('.').try_fold(json, |at, name| at.get(name));
    let Some(Json::Number(text)) = found else { panic!("no number {path}") };
    text.parse().expect("a count")
}

#[test]
fn the_mess_has_every_kind_of_dirt() {
    let seen = Seen::default();
    run(scaled(160, 400), &files(), |files| {
        let bytes = |file: &super::File| file.clone().map(|(bytes, _)| bytes);
        let status = bytes(&files.status);
        seen.note("no status.json", status.is_none());
        seen.note("a valid one", status.as_deref().is_some_and(is_valid));
        seen.note("an invalid one", status.as_deref().is_some_and(|bytes| !is_valid(bytes)));
        seen.note(
            "a byte order mark",
            status.is_some_and(|bytes| bytes.starts_with(b"\xef\xbb\xbf")),
        );
        let bus = bytes(&files.bus).unwrap_or_default();
        seen.note("an unfinished line", bus.last().is_some_and(|byte| *byte != b'\n'));
        seen.note("carriage returns", bus.windows(2).any(|pair| pair == b"\r\n"));
        let asked = ["/api/bus/messages", "/api/stories", "/api/metrics", "/api/epics"];
        let [messages, stories, metrics, epics] = get(&files, asked);
        let messages = number(&messages, "total");
        let lines = bus.split(|byte| *byte == b'\n').count();
        seen.note("glued messages", messages > lines);
        let Body::Problems(list, _) = answer(&files, "/api/problems").body else { panic!() };
        for source in ["status", "sessions", "tasks", "bus"] {
            seen.note(source, list.list.iter().any(|problem| problem.source == source));
        }
        for (level, name) in [
            (Level::Invalid, "invalid files"),
            (Level::Skipped, "skipped records"),
            (Level::Repaired, "repaired records"),
        ] {
            seen.note(name, list.list.iter().any(|problem| problem.level == level));
        }
        note_suspicions(&seen, &list.list);
        note_stories(&seen, &stories);
        let first = metrics.get("bus").and_then(|bus| bus.get("first_at")).and_then(Json::plain);
        seen.note("times as numbers", first.is_some_and(|first| !first.contains('-')));
        seen.note("active sessions", number(&metrics, "sessions.active") > 0);
        seen.note("completed stories", number(&metrics, "stories_completed") > 0);
        seen.note("undeclared epics", epics.compact().contains(r#""declared":false"#));
    });
    seen.check(scaled(4, 10));
}

fn note_suspicions(seen: &Seen, list: &[Problem]) {
    let suspicious = || list.iter().filter(|problem| problem.level == Level::Suspicious);
    for (source, name) in [
        ("status", "suspicious stories and epics"),
        ("sessions", "suspicious sessions"),
        ("tasks", "suspicious tasks"),
        ("bus", "suspicious messages"),
    ] {
        seen.note(name, suspicious().any(|problem| problem.source == source));
    }
    let has = |id: &str| suspicious().any(|problem| problem.at == At::Id(id.to_owned()));
    let all = ["stories", "epics", "tasks", "sessions", "messages"];
    seen.note("names of whole collections", all.into_iter().any(has));
    seen.note("unknown collections", ["userStories", "Stories", "epic"].into_iter().any(has));
    seen.note("unknown registries", ["jobs", "Tasks", "agents", "Sessions"].into_iter().any(has));
    seen.note("strays in another case", ["us-1", "Ep-1", "US_5"].into_iter().any(has));
}

fn note_stories(seen: &Seen, stories: &Json) {
    let Some(Json::List(stories)) = stories.get("stories") else { panic!("no stories") };
    let with = |name: &str, is_so: &dyn Fn(&Json) -> bool| {
        stories.iter().any(|story| story.get(name).is_some_and(is_so))
    };
    seen.note(
        "stories with a number as epic",
        with("epic_id", &|epic| matches!(epic, Json::Number(_))),
    );
    seen.note("several owners", with("assignee", &|owner| matches!(owner, Json::List(_))));
    let is_object = |value: &Json| matches!(value, Json::Map(_));
    let has_object = |value: &Json| match value {
        Json::List(items) => items.iter().any(is_object),
        value => is_object(value),
    };
    let depends = |is_so: &dyn Fn(&Json) -> bool| {
        ["depends_on", "deps", "blockedBy"].into_iter().any(|name| with(name, is_so))
    };
    seen.note("dependencies as objects", depends(&has_object));
    let has_and = |value: &Json| value.compact().to_lowercase().contains(" and ");
    seen.note("dependencies in a sentence", depends(&has_and));
    let is_known = |id: &str| stories.iter().any(|story| story.get("id") == Some(&Json::text(id)));
    let waits = |story: &Json| match story.get("waits_for") {
        Some(Json::List(ids)) => ids.iter().filter_map(Json::plain).any(is_known),
        _ => false,
    };
    seen.note("stories that wait", stories.iter().any(waits));
}

#[test]
fn the_requests_are_of_every_kind() {
    let seen = Seen::default();
    run(scaled(80, 200), &(files(), queries()), |(files, queries)| {
        let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
        for (query, expected) in answers(&files, &queries) {
            seen.note("right ones", expected.status == 200);
            seen.note("wrong ones", expected.status == 400);
            seen.note("ones about nothing", expected.status == 404);
            let Body::Bytes(body) = expected.body else { continue };
            let text = String::from_utf8_lossy(&body);
            let empty = text.starts_with(r#"{"messages":[],"#) || text.contains(r#""count":0,"#);
            if query.starts_with("/api/bus/messages?") {
                seen.note("pages", !empty);
                seen.note("pages with a next one", !text.contains(r#""next_offset":null"#));
            }
            seen.note("filtered", (query.contains("_id=") || query.contains("parent=")) && !empty);
            seen.note("records", query.starts_with("/api/stories/"));
        }
    });
    seen.check(scaled(4, 10));
}
