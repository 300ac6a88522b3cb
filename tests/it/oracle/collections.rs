//! The answers of the lists: sessions, tasks, epics, stories, messages.

use std::collections::BTreeMap;

use super::answers::{self, Answer, BUS, SESSIONS, STATUS, TASKS, bytes, check};
use super::json::Json;
use super::lists::{self, Given as Shown, Listed, Page, fields, note_unknown};
use super::query::{self, Given, Parameters};
use super::records::Record;
use super::{Body, Expected, State, tally, time};

type Members = Vec<(&'static str, Json)>;

fn bodies(records: &[Record]) -> Vec<Json> {
    records.iter().map(|record| record.body.clone()).collect()
}

/// The members after the list: the count and the page, then the facets.
fn described(shown: Shown, name: &'static str, page: Option<Page>) -> Members {
    let count = Json::count(shown.list.len());
    let more = page.map(|page| page.members(&shown)).unwrap_or_default();
    let mut members = vec![(name, Json::List(shown.list)), ("count", count)];
    members.extend(more);
    members.extend(shown.facets.map(|facets| ("facets", facets)));
    members
}

impl State {
    pub(super) fn sessions(&self, query: &str) -> Answer {
        let all: Vec<Json> = self.sessions.iter().map(answers::session).collect();
        let mut asked = query::read(query, &query::SESSIONS);
        note_unknown(&mut asked, &all, fields::SESSION);
        let asked = check(asked, &query::SESSIONS)?;
        let wanted = |record: &Record| match asked.all("active") {
            [] => answers::is_active(record),
            _ => {
                asked.wants("active", "all") || {
                    asked.wants("active", if answers::is_active(record) { "true" } else { "false" })
                }
            }
        };
        let active = self.sessions.iter().filter(|record| answers::is_active(record)).count();
        let counts = Json::map(vec![
            ("total", Json::count(self.sessions.len())),
            ("active", Json::count(active)),
            ("inactive", Json::count(self.sessions.len() - active)),
        ]);
        let listed = Listed {
            all,
            matching: self.sessions.iter().map(wanted).collect(),
            searched: fields::SEARCHED_OF_SESSION,
            key: &|one, name| one.get(name).unwrap().compact(),
            is_reversed: false,
            names: usize::MAX,
        };
        let page = Page::read(&asked);
        let mut members = described(listed.give(&asked, page), "sessions", page);
        if page.is_none() {
            members.retain(|(name, _)| *name != "count");
        }
        members.push(("counts", counts));
        members.push(("timestamp", self.timestamp(&[SESSIONS])));
        Ok(bytes(members))
    }

    pub(super) fn tasks(&self, query: &str) -> Answer {
        let mut asked = query::read(query, &query::TASKS);
        let by_state = self.tasks_by_state();
        let state = |text: &str| tally::canonical(text, tally::COMPLETED);
        let is_known = |text: &str| by_state.iter().any(|(known, _)| *known == state(text));
        let is_wrong = |given: &Given| {
            !is_known(&given.undivided) && !given.pieces.iter().all(|piece| is_known(piece))
        };
        if asked.given("state").iter().any(is_wrong) {
            asked.wrong.push("state".to_owned());
        }
        note_unknown(&mut asked, &bodies(&self.tasks), fields::TASK);
        let asked = check(asked, &query::TASKS)?;
        let key = |task: &Json, name: &str| match name {
            "state" => tally::status_key(task, "state", tally::COMPLETED),
            _ => tally::key(task, name),
        };
        let wanted = |task: &Record| {
            query::TASKS.iter().all(|(name, kind)| match (kind, *name) {
                (query::Kind::Terms, "state") => {
                    asked.wants_as(name, &key(&task.body, name), state)
                }
                (query::Kind::Terms, _) => asked.wants(name, &key(&task.body, name)),
                _ => true,
            }) && is_wanted(&asked, self.is_task_ready(task))
        };
        let listed = Listed {
            all: bodies(&self.tasks),
            matching: self.tasks.iter().map(wanted).collect(),
            searched: fields::SEARCHED,
            key: &key,
            is_reversed: false,
            names: usize::MAX,
        };
        let page = Page::read(&asked);
        let mut members = described(listed.give(&asked, page), "tasks", page);
        members.push(("stats", self.task_stats()));
        members.push(("timestamp", self.timestamp(&[TASKS])));
        Ok(bytes(members))
    }

    pub(super) fn epics(&self, query: &str) -> Answer {
        let epics = self.all_epics();
        let all: Vec<Json> =
            epics.iter().map(|epic| epic.with(self.computed_of_epic(epic))).collect();
        let mut asked = query::read(query, &query::EPICS);
        note_unknown(&mut asked, &all, fields::EPIC);
        let asked = check(asked, &query::EPICS)?;
        let status = |text: &str| tally::canonical(text, tally::DONE);
        let wanted = |epic: &Record| {
            asked.wants_as("status", &answers::story_status(epic), status)
                && asked.wants("owner", &tally::key(&epic.body, "owner"))
        };
        let listed = Listed {
            all,
            matching: epics.iter().map(wanted).collect(),
            searched: fields::SEARCHED,
            key: &key_with_status,
            is_reversed: false,
            names: usize::MAX,
        };
        let page = Page::read(&asked);
        let mut members = described(listed.give(&asked, page), "epics", page);
        members.push(("timestamp", self.timestamp(&[STATUS])));
        Ok(bytes(members))
    }

    pub(super) fn stories(&self, query: &str) -> Answer {
        let mut asked = query::read(query, &query::STORIES);
        note_unknown(&mut asked, &bodies(&self.stories), fields::STORY);
        let asked = check(asked, &query::STORIES)?;
        let status = |text: &str| tally::canonical(text, tally::DONE);
        let epic = |story: &Record| answers::epic_of(story).unwrap_or_else(|| "none".to_owned());
        let wanted = |story: &Record| {
            asked.wants_as("status", &answers::story_status(story), status)
                && asked.wants("epic_id", &epic(story))
                && asked.wants("owner", &tally::key(&story.body, "owner"))
                && is_wanted(&asked, self.is_story_ready(story))
        };
        let key = |story: &Json, name: &str| match (name, story.get("epic_id")) {
            // Only a text or a number refers to an epic.
            ("epic_id", Some(Json::Text(_) | Json::Number(_)) | None) => tally::key(story, name),
            ("epic_id", Some(_)) => "none".to_owned(),
            _ => key_with_status(story, name),
        };
        let listed = Listed {
            all: bodies(&self.stories),
            matching: self.stories.iter().map(wanted).collect(),
            searched: fields::SEARCHED,
            key: &key,
            is_reversed: false,
            names: usize::MAX,
        };
        let page = Page::read(&asked);
        let mut members = described(listed.give(&asked, page), "stories", page);
        members.push(("timestamp", self.timestamp(&[STATUS])));
        Ok(bytes(members))
    }

    pub(super) fn messages(&self, query: &str) -> Answer {
        let mut asked = query::read(query, &query::MESSAGES);
        note_unknown(&mut asked, &self.messages, fields::MESSAGE);
        let asked = check(asked, &query::MESSAGES)?;
        if asked.one("by").is_some() && asked.one("buckets").is_none() {
            let names = vec!["by".to_owned()];
            let body = Body::Error { code: "invalid_parameter", names, lists: vec![], has: None };
            return Err(Expected { status: 400, body });
        }
        if asked.one("cursor").is_some() {
            return Err(wrong_cursor(&asked));
        }
        let listed = Listed {
            all: self.messages.clone(),
            matching: self.messages.iter().map(|m| is_asked_for(m, &asked)).collect(),
            searched: fields::SEARCHED_OF_MESSAGE,
            key: &tally::key,
            is_reversed: asked.one("order") == Some("desc"),
            names: self.names,
        };
        let page = Page::read(&asked).unwrap_or(Page { limit: 100, offset: 0 });
        let mut shown = listed.give(&asked, Some(page));
        let matches = std::mem::take(&mut shown.matches);
        let mut members = described(shown, "messages", Some(page));
        if let Some(width) = asked.one("buckets") {
            members.push(("buckets", buckets(&listed, &matches, width, asked.all("by"))));
        }
        members.push(("timestamp", self.timestamp(&[BUS])));
        Ok(bytes(members))
    }
}

/// The messages of each hour, day or week, and those of the ten most frequent values of a field in each.
fn buckets(listed: &Listed<'_>, matches: &[Json], width: &str, by: &[String]) -> Json {
    const HOUR: i64 = 3_600;
    // The first Monday was 1969-12-29.
    let (length, first) = match width {
        "1h" => (HOUR, 0),
        "1d" => (24 * HOUR, 0),
        _ => (7 * 24 * HOUR, -3 * 24 * HOUR),
    };
    let all: Vec<&Json> = matches.iter().collect();
    let named: Vec<String> = match listed.facets(&all, by) {
        Some(Json::Map(fields)) => match &fields[0].1 {
            Json::Map(values) => {
                values.iter().take(10).map(|(value, _)| value.plain.clone().unwrap()).collect()
            }
            _ => unreachable!("facets are maps"),
        },
        _ => vec![],
    };
    let mut found: BTreeMap<i64, Vec<&Json>> = BTreeMap::new();
    for message in matches {
        let Some(time::Moment(at, _)) = answers::moment(message) else { continue };
        if at.abs() < lists::EDGE {
            let number = (at - first).div_euclid(length);
            found.entry(number * length + first).or_default().push(message);
        }
    }
    let left_out = found.len().saturating_sub(1_000);
    let bucket = |(from, messages): (i64, Vec<&Json>)| {
        let from = format!("{}.000Z", time::seconds(from));
        let mut members = vec![("from", Json::text(&from)), ("total", Json::count(messages.len()))];
        if let [field] = by {
            let count = |value: &String| {
                messages.iter().filter(|message| tally::key(message, field) == **value).count()
            };
            let counts: Vec<(String, usize)> = named
                .iter()
                .map(|value| (value.clone(), count(value)))
                .filter(|(_, count)| *count > 0)
                .collect();
            members.push(("by", tally::json(&counts)));
        }
        Json::map(members)
    };
    Json::List(found.into_iter().skip(left_out).map(bucket).collect())
}

/// The answer for a cursor that no answer has contained. Valid ones are not modelled.
fn wrong_cursor(asked: &Parameters) -> Expected {
    let others = ["offset", "sort"].into_iter().filter(|name| !asked.all(name).is_empty());
    let mut names: Vec<String> = others.map(str::to_owned).collect();
    if names.is_empty() {
        names.push("cursor".to_owned());
    }
    let body = Body::Error { code: "invalid_parameter", names, lists: vec![], has: None };
    Expected { status: 400, body }
}

fn is_wanted(asked: &Parameters, is_ready: bool) -> bool {
    asked.wants("ready", if is_ready { "true" } else { "false" })
}

fn key_with_status(one: &Json, name: &str) -> String {
    match name {
        "status" => tally::status_key(one, name, tally::DONE),
        _ => tally::key(one, name),
    }
}

fn is_asked_for(message: &Json, asked: &Parameters) -> bool {
    let terms = ["story_id", "from", "type", "to"];
    if !terms.iter().all(|name| asked.wants(name, &tally::key(message, name))) {
        return false;
    }
    let moment = answers::moment(message);
    let since = asked.one("since").and_then(time::read);
    let until = asked.one("until");
    let after = since.is_none_or(|since| moment.as_ref().is_some_and(|moment| *moment >= since));
    let before = until.is_none_or(|until| moment.as_ref().is_some_and(|m| is_until(m, until)));
    after && before
}

/// Whether a time is not after `until`, which includes the whole day if it is a date.
fn is_until(moment: &time::Moment, until: &str) -> bool {
    if time::is_date(until) {
        return time::next_day(until).is_some_and(|end| *moment < end);
    }
    time::read(until).is_some_and(|until| *moment <= until)
}
