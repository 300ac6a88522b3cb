//! Checks that the generators cover the intended cases, and that the model is consistent on them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde::de::IgnoredAny;

use super::super::json::{self, Bad, Json};
use super::super::{At, Body, Level, Problem, answer, is_valid};
use super::{files, queries, run};

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

fn get(files: &super::Files, query: &str) -> Json {
    let Body::Bytes(body) = answer(files, query).body else { panic!("no 200 for {query}") };
    json::read_answer(&body).expect("answers are JSON")
}

fn number(json: &Json, path: &str) -> usize {
    let found = path.split('.').try_fold(json, |at, name| at.get(name));
    let Some(Json::Number(text)) = found else { panic!("no number {path}") };
    text.parse().expect("a count")
}

#[test]
fn the_mess_has_every_kind_of_dirt() {
    let seen = Seen::default();
    run(400, &files(), |files| {
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
        let messages = number(&get(&files, "/api/bus/messages"), "total");
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
        note_stories(&seen, &get(&files, "/api/stories"));
        let metrics = get(&files, "/api/metrics");
        let first = metrics.get("bus").and_then(|bus| bus.get("first_at")).and_then(Json::plain);
        seen.note("times as numbers", first.is_some_and(|first| !first.contains('-')));
        seen.note("active sessions", number(&metrics, "sessions.active") > 0);
        seen.note("completed stories", number(&metrics, "stories_completed") > 0);
        let epics = get(&files, "/api/epics").compact();
        seen.note("undeclared epics", epics.contains(r#""declared":false"#));
    });
    seen.check(10);
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
    run(200, &(files(), queries()), |(files, queries)| {
        for query in &queries {
            let expected = answer(&files, query);
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
    seen.check(10);
}

#[test]
fn tallies_sum_to_their_totals() {
    run(200, &files(), |files| {
        let metrics = get(&files, "/api/metrics");
        for (part, tallies) in [
            ("stories", &["by_status", "by_owner"][..]),
            ("tasks", &["by_state", "by_agent"]),
            ("epics", &["by_status"]),
            ("bus", &["by_type", "by_sender"]),
        ] {
            let part = metrics.get(part).expect("a part");
            for tally in tallies {
                let Some(Json::Map(counts)) = part.get(tally) else { panic!("no {tally}") };
                let sum: usize =
                    counts.iter().map(|(_, count)| count.compact().parse::<usize>().unwrap()).sum();
                let others = part.get(&format!("{tally}_others"));
                let others = others.map_or(0, |count| count.compact().parse().unwrap());
                assert_eq!(sum + others, number(part, "total"), "{tally}");
            }
        }
        assert_eq!(number(&metrics, "epics.total"), number(&get(&files, "/api/epics"), "count"));
    });
}

#[test]
fn pages_in_a_row_are_the_whole_log() {
    let messages = |page: &Json| match page.get("messages") {
        Some(Json::List(list)) => list.clone(),
        _ => panic!("no messages"),
    };
    run(100, &files(), |files| {
        let whole = messages(&get(&files, "/api/bus/messages?limit=10000"));
        let mut pages = Vec::new();
        let mut next = "0".to_owned();
        while next != "null" {
            let page = get(&files, &format!("/api/bus/messages?limit=3&offset={next}"));
            pages.extend(messages(&page));
            next = page.get("next_offset").expect("it is always there").compact();
        }
        assert_eq!(whole, pages);
        let mut turned = messages(&get(&files, "/api/bus/messages?limit=10000&order=desc"));
        turned.reverse();
        assert_eq!(whole, turned);
    });
}

#[test]
fn the_reader_takes_what_a_library_takes() {
    run(400, &files(), |files| {
        for (bytes, _) in
            [files.status, files.sessions, files.tasks, files.bus].into_iter().flatten()
        {
            for text in bytes.split(|byte| *byte == b'\n').chain([&bytes[..]]) {
                let theirs = std::str::from_utf8(text)
                    .is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
                match json::read(text) {
                    Err(Bad(_, "nested too deeply")) => {}
                    ours => assert_eq!(ours.is_ok(), theirs, "{}", String::from_utf8_lossy(text)),
                }
            }
        }
    });
}
