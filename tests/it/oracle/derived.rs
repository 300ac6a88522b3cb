//! Attention, from the records and messages.
//!
//! The sentences in `reason` are not modelled, and neither are items that depend on the server's history: sessions that
//! are gone, what was taken back from the plan, files that are degraded.

use std::time::{SystemTime, UNIX_EPOCH};

use super::State;
use super::answers::{self, is_active};
use super::dependencies::{self, OF_STORIES, OF_TASKS, Words, waits_for};
use super::json::Json;
use super::query::Parameters;
use super::records::Record;
use super::time::{self, Moment};

const LABELS: [(&str, &str); 5] = [
    ("task_failed", "failed"),
    ("task_blocked", "blocked"),
    ("story_blocked", "blocked"),
    ("question_unanswered", "asked"),
    ("session_silent", "silent"),
];
pub(super) const TEXT: &str = "
    message text finding summary content body note question answer reason description error details event gate";
pub(super) const TASK_TITLE: &str = "description desc details title name";
pub(super) const STORY_TITLE: &str = "title name";
const TOUCHED: &str = "updated_at updatedAt last_updated lastUpdated updated";
const SEEN: &str = "
    last_active lastActive last_seen lastSeen updated_at updatedAt updated started_at startedAt started created_at
    createdAt created timestamp";

/// Open records and what each waits for among them.
pub(crate) type Waiting = Vec<(String, Vec<String>)>;

/// The expected `/api/attention`, without reasons and cycles.
#[derive(Debug)]
pub(crate) struct Expectation {
    /// By kind, in the order in which kinds are listed.
    pub(crate) items: Vec<(&'static str, Vec<Json>)>,
    /// The selected kinds; none means all.
    pub(crate) asked: Vec<String>,
    /// Among stories and among tasks.
    pub(crate) waiting: [Waiting; 2],
}

/// The first of these members that is text and not blank.
pub(super) fn text(body: &Json, names: &str) -> Option<String> {
    let one = |name: &str| body.get(name)?.plain().map(str::trim).map(str::to_owned);
    names.split_whitespace().filter_map(one).find(|text| !text.is_empty())
}

/// A member as it is counted; an empty text is none.
pub(super) fn word(body: &Json, name: &str) -> Option<String> {
    let word = match body.get(name)? {
        Json::Null => return None,
        Json::Text(text) => text.plain.clone()?,
        other => other.compact(),
    };
    Some(word).filter(|word| !word.is_empty())
}

pub(super) fn excerpt(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = match line.chars().count() {
        0 => return None,
        1..=300 => line,
        _ => line.chars().take(299).collect::<String>() + "…",
    };
    Some(cut)
}

pub(super) fn moment(body: &Json, name: &str) -> Option<Moment> {
    time::of_record(body.get(name)?)
}

pub(super) fn or_null(text: Option<String>) -> Json {
    text.map_or(Json::Null, |text| Json::text(&text))
}

pub(super) fn list(ids: impl IntoIterator<Item = String>) -> Json {
    Json::List(ids.into_iter().map(|id| Json::text(&id)).collect())
}

/// A moment with milliseconds; null beyond the years that are known exactly.
pub(super) fn shown(moment: Option<&Moment>) -> Json {
    let known = moment.filter(|moment| moment.0.abs() < 9_223_372_036);
    known.map_or(Json::Null, |Moment(seconds, fraction)| {
        let thousandths: String = format!("{fraction}000").chars().take(3).collect();
        Json::text(&format!("{}.{thousandths}Z", time::seconds(*seconds)))
    })
}

/// The receiver, unless it is everybody.
pub(super) fn receiver(message: &Json) -> Option<String> {
    let all = ["all", "everybody", "everyone", "*"];
    word(message, "to").filter(|to| !all.contains(&to.to_lowercase().as_str()))
}

/// The role of a message, by its type.
fn part(message: &Json) -> String {
    let kind =
        word(message, "type").unwrap_or_default().trim().to_lowercase().replace(['-', ' '], "_");
    kind.strip_prefix("agent_").unwrap_or(&kind).to_owned()
}

pub(super) struct Session {
    pub(super) id: String,
    pub(super) agent: String,
    title: Option<String>,
    story: Option<String>,
    pub(super) seen: Option<Moment>,
}

impl State {
    /// The last message of a sender.
    pub(super) fn last_of(&self, sender: &str) -> Option<&Json> {
        self.messages.iter().rev().find(|message| word(message, "from").as_deref() == Some(sender))
    }

    pub(super) fn active(&self) -> Vec<Session> {
        let read = |record: &Record| {
            let title = text(&record.body, "nickname name");
            let names = [Some(record.id.clone()), title.clone()];
            let said = names.into_iter().flatten().filter_map(|name| self.said_at(&name));
            let of_session = SEEN.split_whitespace().filter_map(|name| moment(&record.body, name));
            Session {
                seen: of_session.chain(said).max(),
                agent: text(&record.body, "agent")
                    .or(title.clone())
                    .unwrap_or_else(|| record.id.clone()),
                title,
                story: text(&record.body, "story_id story storyId"),
                id: record.id.clone(),
            }
        };
        self.sessions.iter().filter(|record| is_active(record)).map(read).collect()
    }

    pub(super) fn said_at(&self, name: &str) -> Option<Moment> {
        answers::moment(self.last_of(name)?)
    }

    /// The questions without an answer.
    pub(super) fn unanswered(&self) -> Vec<&Json> {
        let mut open: Vec<&Json> = Vec::new();
        for message in &self.messages {
            let from = word(message, "from");
            match part(message).as_str() {
                "question" if from.is_some() => open.push(message),
                "answer" if from.is_some() => {
                    let Some(to) = receiver(message) else { continue };
                    let place = open.iter().position(|question| {
                        let asked = receiver(question);
                        let is_asked = if asked.is_none() {
                            from.as_ref() != Some(&to)
                        } else {
                            asked == from
                        };
                        is_asked
                            && word(question, "from").as_ref() == Some(&to)
                            && word(question, "story_id") == word(message, "story_id")
                    });
                    place.map(|place| open.remove(place));
                }
                _ => {}
            }
        }
        open
    }

    /// The message about a blocked story, if no later one withdraws it.
    fn blocks(&self, story: &str) -> Option<&Json> {
        let is_about = |message: &&Json| {
            word(message, "story_id").as_deref() == Some(story)
                && ["blocked", "unblocked"].contains(&part(message).as_str())
        };
        self.messages.iter().rev().find(is_about).filter(|message| part(message) == "blocked")
    }

    pub(super) fn attention(&self, asked: &Parameters) -> Expectation {
        let silent_after = asked.seconds("silent_after").unwrap_or(1800.0);
        let stories = (&self.stories, &OF_STORIES, STORY_TITLE);
        let tasks = (&self.tasks, &OF_TASKS, TASK_TITLE);
        let of = |kind: &str| match kind {
            "task_failed" => self.with_status(tasks, kind, "failed"),
            "task_blocked" => self.with_status(tasks, kind, "blocked"),
            "story_blocked" => self.with_status(stories, kind, "blocked"),
            "question_unanswered" => self.unanswered().into_iter().map(question_item).collect(),
            _ => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
                #[allow(clippy::cast_possible_truncation, reason = "within a second")]
                let before = (now.as_secs_f64() - silent_after) as i64;
                let is_silent =
                    |session: &Session| session.seen.as_ref().is_some_and(|seen| seen.0 < before);
                self.active()
                    .iter()
                    .filter(|session| is_silent(session))
                    .map(session_item)
                    .collect()
            }
        };
        let newest_first = |kind: &str| {
            let since = |item: &Json| item.get("since").and_then(Json::plain).map(str::to_owned);
            let mut items = of(kind);
            items.sort_by_key(|item| std::cmp::Reverse(since(item)));
            items
        };
        Expectation {
            items: LABELS.map(|(kind, _)| (kind, newest_first(kind))).into(),
            asked: asked.all("kind").to_vec(),
            waiting: [waiting(&self.stories, &OF_STORIES), waiting(&self.tasks, &OF_TASKS)],
        }
    }

    fn with_status(
        &self,
        (records, words, title): (&Vec<Record>, &Words, &str),
        kind: &str,
        status: &str,
    ) -> Vec<Json> {
        let is_task = kind.starts_with("task");
        let item = |record: &Record| {
            let body = &record.body;
            let message = if is_task { None } else { self.blocks(&record.id) };
            let of_status = [format!("{status}_at"), format!("{status}At")];
            let since = of_status
                .iter()
                .find_map(|name| moment(body, name))
                .or_else(|| answers::moment(message?))
                .or_else(|| TOUCHED.split_whitespace().find_map(|name| moment(body, name)));
            let agent = word(body, if is_task { "subagent_type" } else { "owner" });
            let title = text(body, title).as_deref().and_then(excerpt);
            let source = if is_task { "tasks" } else { "status" };
            let mut members =
                item(kind, Some(&record.id), title, (shown(since.as_ref()), source, agent));
            if is_task {
                members.push(("story_id", or_null(word(body, "story_id"))));
            }
            if status == "blocked" {
                let held = records.iter().filter(|other| {
                    words.is_open(other)
                        && dependencies::named(other, records).ids.contains(&record.id)
                });
                members.push(("waits_for", list(waits_for(record, records, words))));
                members.push(("holds_up", list(held.map(|other| other.id.clone()))));
            }
            Json::map(members)
        };
        records.iter().filter(|record| words.status(record) == status).map(item).collect()
    }
}

fn item(
    kind: &str,
    id: Option<&str>,
    title: Option<String>,
    (since, source, agent): (Json, &str, Option<String>),
) -> Vec<(&'static str, Json)> {
    vec![
        ("kind", Json::text(kind)),
        ("label", Json::text(LABELS.iter().find(|(name, _)| *name == kind).unwrap().1)),
        ("id", or_null(id.map(str::to_owned))),
        ("title", or_null(title)),
        ("since", since),
        ("source", Json::text(source)),
        ("agent", or_null(agent)),
    ]
}

pub(super) fn question(message: &Json) -> Json {
    Json::map(vec![
        ("from", or_null(word(message, "from"))),
        ("to", or_null(receiver(message))),
        ("story_id", or_null(word(message, "story_id"))),
        ("since", shown(answers::moment(message).as_ref())),
        ("text", or_null(text(message, TEXT).as_deref().and_then(excerpt))),
    ])
}

fn question_item(message: &Json) -> Json {
    let since = shown(answers::moment(message).as_ref());
    let title = text(message, TEXT).as_deref().and_then(excerpt);
    let from = word(message, "from");
    let mut members = item("question_unanswered", None, title, (since, "bus", from.clone()));
    members.push(("from", or_null(from)));
    members.push(("to", or_null(receiver(message))));
    members.push(("story_id", or_null(word(message, "story_id"))));
    Json::map(members)
}

fn session_item(session: &Session) -> Json {
    let since = shown(session.seen.as_ref());
    let title = session.title.clone();
    let rest = (since, "sessions", Some(session.agent.clone()));
    let mut members = item("session_silent", Some(&session.id), title, rest);
    members.push(("story_id", or_null(session.story.clone())));
    Json::map(members)
}

/// The open records and what each waits for among them.
fn waiting(records: &[Record], words: &Words) -> Waiting {
    let open: Vec<&Record> = records.iter().filter(|record| words.is_open(record)).collect();
    let needs = |record: &&Record| {
        let named = dependencies::named(record, records).ids;
        let among = named.into_iter().filter(|id| open.iter().any(|other| other.id == *id));
        (record.id.clone(), among.collect())
    };
    open.iter().map(needs).collect()
}
