//! The state of each agent, from the records and messages.

use super::State;
use super::dependencies::{OF_STORIES, OF_TASKS};
use super::derived::{
    STORY_TITLE, Session, TASK_TITLE, TEXT, excerpt, list, moment, or_null, question, receiver,
    shown, text, word,
};
use super::json::Json;
use super::records::Record;
use super::time::Moment;

impl State {
    pub(super) fn agents(&self) -> Vec<Json> {
        let mut names: Vec<String> =
            self.active().into_iter().map(|session| session.agent).collect();
        names.extend(self.tasks.iter().filter_map(|task| word(&task.body, "subagent_type")));
        names.extend(self.stories.iter().filter_map(|story| word(&story.body, "owner")));
        // In the order of the last message of each, and to each.
        let last = |of: &dyn Fn(&Json) -> Option<String>| {
            let mut found: Vec<String> = Vec::new();
            for name in self.messages.iter().rev().filter_map(of) {
                if !found.contains(&name) {
                    found.push(name);
                }
            }
            found.reverse();
            found
        };
        names.extend(last(&|message| word(message, "from")));
        names.extend(last(&receiver));
        let mut once: Vec<String> = Vec::new();
        for name in names {
            if !once.contains(&name) {
                once.push(name);
            }
        }
        let mut found: Vec<(u8, Option<Moment>, Json)> =
            once.iter().map(|name| self.agent(name)).collect();
        found.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
        found.into_iter().map(|(_, _, agent)| agent).collect()
    }

    /// Its group in the list, its last activity, and its entry.
    fn agent(&self, name: &str) -> (u8, Option<Moment>, Json) {
        let sessions: Vec<Session> =
            self.active().into_iter().filter(|session| session.agent == name).collect();
        let seen = sessions.iter().filter_map(|session| session.seen.clone());
        let seen = seen.chain(self.said_at(name)).max();
        let tasks =
            |state: &str| list(self.tasks_in(name, state).iter().map(|task| task.id.clone()));
        let stories = self.stories_in(name, &BEGUN);
        let Work { doing, more, needs, state } = self.work(name, !sessions.is_empty());
        let group = match (needs, &doing) {
            (1.., _) => 0,
            (0, Json::Null) => 2,
            _ => 1,
        };
        let said = self.last_of(name).map_or(Json::Null, said);
        let open = |of: &dyn Fn(&Json) -> Option<String>| {
            let its = self
                .unanswered()
                .into_iter()
                .filter(|message| of(message).as_deref() == Some(name));
            Json::List(its.map(question).collect())
        };
        let agent = Json::map(vec![
            ("id", Json::text(name)),
            ("state", Json::text(&state)),
            ("doing", doing),
            ("more", Json::count(more)),
            ("needs_you", Json::count(needs)),
            ("last_seen_at", shown(seen.as_ref())),
            ("sessions", list(sessions.into_iter().map(|session| session.id))),
            (
                "tasks",
                Json::map(vec![
                    ("running", tasks("running")),
                    ("waiting", tasks("queued")),
                    ("blocked", tasks("blocked")),
                    ("failed", tasks("failed")),
                ]),
            ),
            ("stories", list(stories.iter().map(|story| story.id.clone()))),
            ("last_message", said),
            (
                "questions",
                Json::map(vec![
                    ("to", open(&receiver)),
                    ("from", open(&|message| word(message, "from"))),
                ]),
            ),
        ]);
        (group, seen, agent)
    }
}

/// Statuses of stories in progress.
const BEGUN: [&str; 4] = ["doing", "in-progress", "in-review", "review"];
const STARTED: [&str; 3] = ["started_at", "startedAt", "started"];
const CREATED: [&str; 3] = ["created_at", "createdAt", "created"];

struct Work {
    doing: Json,
    more: usize,
    needs: usize,
    state: String,
}

/// The record that began last, by the first of its times.
fn last_begun<'a>(records: &[&'a Record], times: &[&str]) -> Option<(&'a Record, Option<Moment>)> {
    let begun = |record: &Record| times.iter().find_map(|time| moment(&record.body, time));
    let (since, at) = records.iter().enumerate().map(|(at, record)| (begun(record), at)).max()?;
    Some((records[at], since))
}

fn doing(
    kind: &str,
    (record, since): (&Record, Option<Moment>),
    titles: &str,
    status: &str,
) -> Json {
    Json::map(vec![
        ("kind", Json::text(kind)),
        ("id", Json::text(&record.id)),
        ("title", or_null(text(&record.body, titles).as_deref().and_then(excerpt))),
        ("since", shown(since.as_ref())),
        ("status", Json::text(status)),
    ])
}

impl State {
    fn tasks_in(&self, agent: &str, state: &str) -> Vec<&Record> {
        let is_its = |task: &&Record| {
            word(&task.body, "subagent_type").as_deref() == Some(agent)
                && OF_TASKS.status(task) == state
        };
        self.tasks.iter().filter(is_its).collect()
    }

    fn stories_in(&self, agent: &str, statuses: &[&str]) -> Vec<&Record> {
        let is_its = |story: &&Record| {
            word(&story.body, "owner").as_deref() == Some(agent)
                && statuses.contains(&OF_STORIES.status(story).as_str())
        };
        self.stories.iter().filter(is_its).collect()
    }

    fn work(&self, agent: &str, has_session: bool) -> Work {
        let asks = |question: &&&Json| word(question, "from").as_deref() == Some(agent);
        let asked = self.unanswered().iter().filter(asks).count();
        let failed = self.tasks_in(agent, "failed").len();
        let blocked =
            self.tasks_in(agent, "blocked").len() + self.stories_in(agent, &["blocked"]).len();
        let running = self.tasks_in(agent, "running");
        let mut stories = self.stories_in(agent, &BEGUN);
        stories.retain(|story| {
            let is_of = |task: &&Record| word(&task.body, "story_id").as_ref() == Some(&story.id);
            !running.iter().any(is_of)
        });
        let more = (running.len() + stories.len()).saturating_sub(1);
        let needs = failed + blocked + asked;
        let work = |doing, state: &str| Work { doing, more, needs, state: state.to_owned() };
        if let Some(last) = last_begun(&running, &[STARTED, CREATED].concat()) {
            return work(doing("task", last, TASK_TITLE, "running"), "running");
        }
        if let Some(last) = last_begun(&stories, &STARTED) {
            let status = OF_STORIES.status(last.0);
            return work(doing("story", last, STORY_TITLE, &status), &status);
        }
        let state = if failed > 0 {
            "failed"
        } else if blocked > 0 {
            "blocked"
        } else if asked > 0 {
            "asked"
        } else if !self.tasks_in(agent, "queued").is_empty() {
            "waiting"
        } else if has_session {
            "idle"
        } else {
            "no work"
        };
        work(Json::Null, state)
    }
}

fn said(message: &Json) -> Json {
    Json::map(vec![
        ("timestamp", or_null(word(message, "timestamp"))),
        ("type", or_null(word(message, "type"))),
        ("to", or_null(receiver(message))),
        ("story_id", or_null(word(message, "story_id"))),
        ("text", or_null(text(message, TEXT).as_deref().and_then(excerpt))),
    ])
}
