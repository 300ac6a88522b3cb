//! The answer of each path.

use super::json::Json;
use super::query::{self, Given, Known, Parameters};
use super::records::Record;
use super::time::{self, Moment};
use super::{Body, Expected, Problem, State, tally};

const STATUS: usize = 0;
const SESSIONS: usize = 1;
const TASKS: usize = 2;
const BUS: usize = 3;
pub(super) const ALL: &[usize] = &[STATUS, SESSIONS, TASKS, BUS];

/// The most problems of one source, and of all.
const PROBLEMS: usize = 1000;

const PATHS: [&str; 19] = [
    "/api",
    "/api/health",
    "/api/sessions",
    "/api/sessions/:id",
    "/api/status",
    "/api/tasks",
    "/api/tasks/:id",
    "/api/bus/messages",
    "/api/metrics",
    "/api/epics",
    "/api/epics/:id",
    "/api/stories",
    "/api/stories/:id",
    "/api/problems",
    "/api/attention",
    "/api/agents",
    "/api/activity",
    "/api/events",
    "/api/changes",
];

type Answer = Result<Body, Expected>;

fn error(status: u16, code: &'static str) -> Expected {
    Expected { status, body: Body::Error { code, names: vec![], lists: vec![], has: None } }
}

fn not_found(member: &'static str, value: &str, lists: &[&'static str]) -> Expected {
    let body = Body::Error {
        code: "not_found",
        names: vec![],
        lists: lists.to_vec(),
        has: Some((member, value.to_owned())),
    };
    Expected { status: 404, body }
}

/// 400 if any parameter is wrong or unknown.
fn check(read: Parameters, known: Known) -> Result<Parameters, Expected> {
    if read.wrong.is_empty() && read.unknown.is_empty() {
        return Ok(read);
    }
    let only_unknown = read.wrong.is_empty();
    let lists = known.iter().map(|(name, _)| *name).filter(|_| only_unknown).collect();
    let names = read.wrong.into_iter().chain(read.unknown).collect();
    let body = Body::Error { code: "invalid_parameter", names, lists, has: None };
    Err(Expected { status: 400, body })
}

fn parameters(query: &str, known: Known) -> Result<Parameters, Expected> {
    check(query::read(query, known), known)
}

fn bytes(members: Vec<(&str, Json)>) -> Body {
    Body::Bytes(Json::map(members).compact().into_bytes())
}

impl State {
    pub(super) fn answer(&self, path: &str, query: &str) -> Expected {
        let answer = self.route(path.strip_suffix('/').unwrap_or(path), path, query);
        answer.map_or_else(|error| error, |body| Expected { status: 200, body })
    }

    fn route(&self, path: &str, as_sent: &str, query: &str) -> Answer {
        match path {
            "/api" => parameters(query, &[]).map(|_| Body::Any),
            "/api/health" => health(query),
            "/api/sessions" => self.sessions(query),
            "/api/status" => self.status(query),
            "/api/tasks" => self.tasks(query),
            "/api/bus/messages" => self.messages(query),
            "/api/metrics" => parameters(query, &[]).map(|_| bytes(self.metrics())),
            "/api/epics" => self.epics(query),
            "/api/stories" => self.stories(query),
            "/api/problems" => self.problems(query),
            "/api/attention" => parameters(query, query::ATTENTION)
                .map(|asked| Body::Attention(self.attention(&asked))),
            "/api/agents" => parameters(query, &[]).map(|_| self.all_agents()),
            _ => self.one(path, as_sent, query),
        }
    }

    fn one(&self, path: &str, as_sent: &str, query: &str) -> Answer {
        let unknown = || not_found("path", as_sent, &PATHS);
        let (parent, segment) = path.rsplit_once('/').ok_or_else(unknown)?;
        let known = ["/api/sessions", "/api/tasks", "/api/epics", "/api/stories"];
        if segment.is_empty() || !known.contains(&parent) {
            return Err(unknown());
        }
        let id = query::decode(segment).filter(|id| !id.chars().any(char::is_control));
        let id = id.ok_or_else(|| error(400, "invalid_id"))?;
        parameters(query, &[])?;
        let of = |records: &[Record]| records.iter().find(|record| record.id == id).cloned();
        let found = match parent {
            "/api/sessions" => of(&self.sessions).map(|record| session(&record)),
            "/api/tasks" => of(&self.tasks).map(|record| record.body),
            "/api/epics" => of(&self.all_epics()).map(|record| {
                let ids = self.stories_of(&id).map(|story| Json::text(&story.id)).collect();
                let mut more = self.computed_of_epic(&record);
                more.push(("story_ids", Json::List(ids)));
                record.with(more)
            }),
            _ => of(&self.stories).map(|record| record.body),
        };
        let found = found.ok_or_else(|| not_found("id", &id, &[]))?;
        Ok(Body::Bytes(found.compact().into_bytes()))
    }

    fn sessions(&self, query: &str) -> Answer {
        let asked = parameters(query, query::SESSIONS)?;
        let wanted = |record: &&Record| match asked.all("active") {
            [] => is_active(record),
            _ => {
                asked.wants("active", "all") || {
                    asked.wants("active", if is_active(record) { "true" } else { "false" })
                }
            }
        };
        let active = self.sessions.iter().filter(|record| is_active(record)).count();
        let counts = Json::map(vec![
            ("total", Json::count(self.sessions.len())),
            ("active", Json::count(active)),
            ("inactive", Json::count(self.sessions.len() - active)),
        ]);
        let list = self.sessions.iter().filter(wanted).map(session).collect();
        Ok(bytes(vec![
            ("sessions", Json::List(list)),
            ("counts", counts),
            ("timestamp", self.timestamp(&[SESSIONS])),
        ]))
    }

    fn status(&self, query: &str) -> Answer {
        parameters(query, &[])?;
        match &self.raw_status {
            Some(bytes) => Ok(Body::Bytes(bytes.clone())),
            None if self.status_is_there => Err(error(503, "state_invalid")),
            None => Err(error(404, "state_missing")),
        }
    }

    fn tasks(&self, query: &str) -> Answer {
        let mut asked = query::read(query, query::TASKS);
        let by_state = self.tasks_by_state();
        let state = |text: &str| tally::canonical(text, tally::COMPLETED);
        let states: Vec<String> = asked.all("state").iter().map(|text| state(text)).collect();
        let is_known = |text: &str| by_state.iter().any(|(known, _)| *known == state(text));
        let is_wrong = |given: &Given| {
            !is_known(&given.undivided) && !given.pieces.iter().all(|piece| is_known(piece))
        };
        if asked.given("state").iter().any(is_wrong) {
            asked.wrong.push("state".to_owned());
        }
        let asked = check(asked, query::TASKS)?;
        let wanted = |task: &&Record| {
            let own = tally::status_key(&task.body, "state", tally::COMPLETED);
            (states.is_empty() || states.contains(&own))
                && asked.wants("story_id", &tally::key(&task.body, "story_id"))
                && asked.wants("subagent_type", &tally::key(&task.body, "subagent_type"))
        };
        let tasks: Vec<Json> =
            self.tasks.iter().filter(wanted).map(|task| task.body.clone()).collect();
        let count = Json::count(tasks.len());
        Ok(bytes(vec![
            ("tasks", Json::List(tasks)),
            ("count", count),
            ("stats", self.task_stats()),
            ("timestamp", self.timestamp(&[TASKS])),
        ]))
    }

    fn tasks_by_state(&self) -> Vec<(String, usize)> {
        let states =
            self.tasks.iter().map(|t| tally::status_key(&t.body, "state", tally::COMPLETED));
        tally::count(tally::TASK_STATES, states)
    }

    pub(super) fn task_stats(&self) -> Json {
        Json::map(vec![
            ("total", Json::count(self.tasks.len())),
            ("by_state", tally::json(&self.tasks_by_state())),
            ("by_agent", tally_of(&self.tasks, "subagent_type")),
        ])
    }

    fn messages(&self, query: &str) -> Answer {
        let asked = parameters(query, query::MESSAGES)?;
        let mut matching: Vec<&Json> =
            self.messages.iter().filter(|message| is_asked_for(message, &asked)).collect();
        if asked.one("order") == Some("desc") {
            matching.reverse();
        }
        let limit = asked.number("limit").unwrap_or(100);
        let offset = asked.number("offset").unwrap_or(0);
        let total = matching.len();
        let page: Vec<Json> = matching.into_iter().skip(offset).take(limit).cloned().collect();
        let end = offset.saturating_add(page.len());
        let next = if limit > 0 && end < total { Json::count(end) } else { Json::Null };
        let count = page.len();
        Ok(bytes(vec![
            ("messages", Json::List(page)),
            ("count", Json::count(count)),
            ("total", Json::count(total)),
            ("limit", Json::count(limit)),
            ("offset", Json::count(offset)),
            ("next_offset", next),
            ("timestamp", self.timestamp(&[BUS])),
        ]))
    }

    fn epics(&self, query: &str) -> Answer {
        parameters(query, &[])?;
        let epics: Vec<Json> =
            self.all_epics().iter().map(|epic| epic.with(self.computed_of_epic(epic))).collect();
        let count = Json::count(epics.len());
        let timestamp = self.timestamp(&[STATUS]);
        Ok(bytes(vec![("epics", Json::List(epics)), ("count", count), ("timestamp", timestamp)]))
    }

    /// The declared epics, then those that only stories name.
    pub(super) fn all_epics(&self) -> Vec<Record> {
        let mut epics = self.epics.clone();
        for name in self.stories.iter().filter_map(epic_of) {
            if !epics.iter().any(|epic| epic.id == name) {
                epics.push(Record::made(&name));
            }
        }
        epics
    }

    fn stories_of<'a>(&'a self, epic: &'a str) -> impl Iterator<Item = &'a Record> {
        self.stories.iter().filter(move |story| epic_of(story).as_deref() == Some(epic))
    }

    fn computed_of_epic(&self, epic: &Record) -> Vec<(&'static str, Json)> {
        let total = self.stories_of(&epic.id).count();
        let completed = self.stories_of(&epic.id).filter(|story| is_completed(story)).count();
        let progress = Json::map(vec![
            ("stories_total", Json::count(total)),
            ("stories_completed", Json::count(completed)),
        ]);
        let declared = self.epics.iter().any(|other| other.id == epic.id);
        vec![("declared", Json::Bool(declared)), ("progress", progress)]
    }

    fn stories(&self, query: &str) -> Answer {
        let asked = parameters(query, query::STORIES)?;
        let statuses: Vec<String> =
            asked.all("status").iter().map(|text| tally::canonical(text, tally::DONE)).collect();
        let wanted = |story: &&Record| {
            (statuses.is_empty() || statuses.contains(&story_status(story)))
                && asked.wants("epic_id", &epic_of(story).unwrap_or_else(|| "none".to_owned()))
                && asked.wants("owner", &tally::key(&story.body, "owner"))
        };
        let list: Vec<Json> =
            self.stories.iter().filter(wanted).map(|story| story.body.clone()).collect();
        let count = Json::count(list.len());
        let timestamp = self.timestamp(&[STATUS]);
        Ok(bytes(vec![("stories", Json::List(list)), ("count", count), ("timestamp", timestamp)]))
    }

    fn all_agents(&self) -> Body {
        let agents = self.agents();
        let count = Json::count(agents.len());
        bytes(vec![
            ("agents", Json::List(agents)),
            ("count", count.clone()),
            ("total", count),
            ("timestamp", self.timestamp(ALL)),
        ])
    }

    fn problems(&self, query: &str) -> Answer {
        parameters(query, &[])?;
        let newest = |list: &[Problem]| list[list.len().saturating_sub(PROBLEMS)..].to_vec();
        let of = |source: &str| {
            let list = self.problems.iter().filter(|problem| problem.source == source);
            newest(&list.cloned().collect::<Vec<_>>())
        };
        let all: Vec<Problem> = ["status", "sessions", "tasks", "bus"].map(of).concat();
        Ok(Body::Problems(newest(&all), self.timestamp(ALL)))
    }

    pub(super) fn timestamp(&self, sources: &[usize]) -> Json {
        let newest = sources.iter().filter_map(|source| self.times[*source]).max();
        newest.map_or(Json::Null, |newest| Json::text(&time::of_file(newest)))
    }
}

fn health(query: &str) -> Answer {
    let mut asked = query::read(query, query::HEALTH);
    // Nothing at all must not pass for a condition that holds.
    if asked.given("require").iter().any(|given| given.pieces.is_empty()) {
        asked.wrong.push("require".to_owned());
    }
    check(asked, query::HEALTH).map(|_| Body::Any)
}

fn session(record: &Record) -> Json {
    record.with(vec![("active", Json::Bool(is_active(record)))])
}

pub(super) fn is_active(session: &Record) -> bool {
    const ENDED: [&str; 6] = ["ended", "closed", "inactive", tally::DONE, "stopped", "terminated"];
    let has = |name| match session.body.get(name) {
        Some(Json::Text(text)) => !text.is(""),
        Some(Json::Number(_)) => true,
        _ => false,
    };
    let status = session.body.get("status").and_then(Json::plain);
    let ended = status.is_some_and(|s| ENDED.contains(&tally::canonical(s, tally::DONE).as_str()));
    !ended && !has("ended_at") && !has("closed_at")
}

pub(super) fn story_status(story: &Record) -> String {
    tally::status_key(&story.body, "status", tally::DONE)
}

pub(super) fn is_completed(story: &Record) -> bool {
    [tally::DONE, "archived"].contains(&story_status(story).as_str())
}

/// The epic that a story names, by a string or a number: what `epic_id=` finds it by.
fn epic_of(story: &Record) -> Option<String> {
    let named = story.body.get("epic_id").filter(|value| match value {
        Json::Text(text) => !text.is(""),
        value => matches!(value, Json::Number(_)),
    });
    named.map(|_| tally::key(&story.body, "epic_id"))
}

pub(super) fn tally_of(records: &[Record], name: &str) -> Json {
    tally::json(&tally::count(&[], records.iter().map(|record| tally::key(&record.body, name))))
}

pub(super) fn moment(message: &Json) -> Option<Moment> {
    time::read(message.get("timestamp")?.plain()?)
}

fn is_asked_for(message: &Json, asked: &Parameters) -> bool {
    let terms = ["story_id", "from", "type", "to"];
    if !terms.iter().all(|name| asked.wants(name, &tally::key(message, name))) {
        return false;
    }
    let moment = moment(message);
    let since = asked.one("since").and_then(time::read);
    let until = asked.one("until");
    let after = since.is_none_or(|since| moment.as_ref().is_some_and(|moment| *moment >= since));
    let before = until.is_none_or(|until| moment.as_ref().is_some_and(|m| is_until(m, until)));
    after && before
}

/// Whether a moment is not after `until`, of which a date means the whole day.
fn is_until(moment: &Moment, until: &str) -> bool {
    if time::is_date(until) {
        return time::next_day(until).is_some_and(|end| *moment < end);
    }
    time::read(until).is_some_and(|until| *moment <= until)
}
