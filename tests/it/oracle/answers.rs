//! The answer of each path.

use super::json::Json;
use super::query::{self, Known, Parameters};
use super::records::Record;
use super::time::{self, Moment};
use super::{Body, Expected, Problem, Problems, State, tally};

pub(super) const STATUS: usize = 0;
pub(super) const SESSIONS: usize = 1;
pub(super) const TASKS: usize = 2;
pub(super) const BUS: usize = 3;
pub(super) const ALL: &[usize] = &[STATUS, SESSIONS, TASKS, BUS];

/// The most problems of one source, and of all.
const PROBLEMS: usize = 1000;

const PATHS: &str = "
    /api /api/health /api/sessions /api/sessions/:id /api/status /api/tasks /api/tasks/:id /api/bus/messages /api/metrics
    /api/epics /api/epics/:id /api/stories /api/stories/:id /api/problems /api/attention /api/agents /api/activity
    /api/events /api/changes /api/origins/:id /api/projects /api/worktrees /api/openapi.json /metrics";

pub(super) type Answer = Result<Body, Expected>;

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
pub(super) fn check(read: Parameters, known: Known) -> Result<Parameters, Expected> {
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

pub(super) fn bytes(members: Vec<(&str, Json)>) -> Body {
    Body::Bytes(Json::map(members).compact().into_bytes())
}

impl State {
    pub(super) fn answer(&self, path: &str, query: &str) -> Expected {
        let answer = self.route(path.strip_suffix('/').unwrap_or(path), path, query);
        answer.map_or_else(|error| error, |body| Expected { status: 200, body })
    }

    fn route(&self, path: &str, as_sent: &str, query: &str) -> Answer {
        match path {
            "/api" | "/api/openapi.json" => parameters(query, &[]).map(|_| Body::Any),
            "/api/health" => health(query),
            "/api/sessions" => self.sessions(query),
            "/api/status" => self.status(query),
            "/api/tasks" => self.tasks(query),
            "/api/bus/messages" => self.messages(query),
            "/api/metrics" => parameters(query, &[]).map(|_| bytes(self.metrics())),
            "/api/epics" => self.epics(query),
            "/api/stories" => self.stories(query),
            "/api/problems" => self.problems(query),
            "/api/attention" => parameters(query, &query::ATTENTION)
                .map(|asked| Body::Attention(self.attention(&asked))),
            "/api/agents" => parameters(query, &[]).map(|_| self.all_agents()),
            _ => self.one(path, as_sent, query),
        }
    }

    fn one(&self, path: &str, as_sent: &str, query: &str) -> Answer {
        let unknown = || not_found("path", as_sent, &PATHS.split_whitespace().collect::<Vec<_>>());
        let (parent, segment) = path.rsplit_once('/').ok_or_else(unknown)?;
        let known = ["/api/sessions", "/api/tasks", "/api/epics", "/api/stories", "/api/origins"];
        if segment.is_empty() || !known.contains(&parent) {
            return Err(unknown());
        }
        let id = query::decode(segment).filter(|id| !id.chars().any(char::is_control));
        let id = id.ok_or_else(|| error(400, "invalid_id"))?;
        parameters(query, &[])?;
        let of = |records: &[Record]| records.iter().find(|record| record.id == id).cloned();
        let found = match parent {
            "/api/origins" => {
                let collections = [&self.sessions, &self.tasks, &self.all_epics(), &self.stories];
                let is_known = collections.into_iter().any(|records| of(records).is_some());
                return is_known.then_some(Body::Any).ok_or_else(|| not_found("id", &id, &[]));
            }
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

    fn status(&self, query: &str) -> Answer {
        parameters(query, &[])?;
        match &self.raw_status {
            Some(bytes) => Ok(Body::Bytes(bytes.clone())),
            None if self.status_is_there => Err(error(503, "state_invalid")),
            None => Err(error(404, "state_missing")),
        }
    }

    pub(super) fn tasks_by_state(&self) -> Vec<(String, usize)> {
        let states =
            self.tasks.iter().map(|t| tally::status_key(&t.body, "state", tally::COMPLETED));
        tally::count(tally::TASK_STATES, states)
    }

    pub(super) fn task_stats(&self) -> Json {
        let mut members = vec![("total", Json::count(self.tasks.len()))];
        let names = ["by_state", "by_state_others"];
        members.extend(tally::members(names, tally::TASK_STATES, &self.tasks_by_state(), 0));
        let names = ["by_agent", "by_agent_others"];
        members.extend(tally_of(&self.tasks, "subagent_type", names));
        Json::map(members)
    }

    /// The declared epics, then those that only stories refer to.
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

    pub(super) fn computed_of_epic(&self, epic: &Record) -> Vec<(&'static str, Json)> {
        let total = self.stories_of(&epic.id).count();
        let completed = self.stories_of(&epic.id).filter(|story| is_completed(story)).count();
        let progress = Json::map(vec![
            ("stories_total", Json::count(total)),
            ("stories_completed", Json::count(completed)),
        ]);
        let declared = self.epics.iter().any(|other| other.id == epic.id);
        vec![("declared", Json::Bool(declared)), ("progress", progress)]
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
        let of = |list: &[Problem], source: &str| {
            let list = list.iter().filter(|problem| problem.source == source);
            newest(&list.cloned().collect::<Vec<_>>())
        };
        let of_source =
            |source| [of(&self.suspicious, source), of(&self.problems, source)].concat();
        let all: Vec<Problem> = ["status", "sessions", "tasks", "bus"].map(of_source).concat();
        let list = [self.invalid.clone(), newest(&all)].concat();
        let problems = Problems { list, is_kept: self.is_kept };
        Ok(Body::Problems(problems, self.timestamp(ALL)))
    }

    pub(super) fn timestamp(&self, sources: &[usize]) -> Json {
        let newest = sources.iter().filter_map(|source| self.times[*source]).max();
        newest.map_or(Json::Null, |newest| Json::text(&time::of_file(newest)))
    }
}

fn health(query: &str) -> Answer {
    let mut asked = query::read(query, query::HEALTH);
    // An empty condition must not count as satisfied.
    if asked.given("require").iter().any(|given| given.pieces.is_empty()) {
        asked.wrong.push("require".to_owned());
    }
    check(asked, query::HEALTH).map(|_| Body::Any)
}

pub(super) fn session(record: &Record) -> Json {
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
    !ended && !["ended_at", "closed_at"].into_iter().any(has)
}

pub(super) fn story_status(story: &Record) -> String {
    tally::status_key(&story.body, "status", tally::DONE)
}

pub(super) fn is_completed(story: &Record) -> bool {
    [tally::DONE, "archived"].contains(&story_status(story).as_str())
}

/// The epic that a story refers to, by a string or a number: the value for `epic_id=`.
pub(super) fn epic_of(story: &Record) -> Option<String> {
    let named = story.body.get("epic_id").filter(|value| match value {
        Json::Text(text) => !text.is(""),
        value => matches!(value, Json::Number(_)),
    });
    named.map(|_| tally::key(&story.body, "epic_id"))
}

/// The count of records by a member.
pub(super) fn tally_of(
    records: &[Record],
    name: &str,
    names: [&'static str; 2],
) -> Vec<(&'static str, Json)> {
    let keys = records.iter().map(|record| tally::key(&record.body, name));
    tally::members(names, &[], &tally::count(&[], keys), 0)
}

pub(super) fn moment(message: &Json) -> Option<Moment> {
    time::of_message(message.get("timestamp")?)
}
