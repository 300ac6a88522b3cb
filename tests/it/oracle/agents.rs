//! The state of each agent, from the records and messages.

use super::State;
use super::dependencies::{OF_STORIES, OF_TASKS};
use super::derived::{
    Session, TEXT, excerpt, list, or_null, question, receiver, shown, text, word,
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
        let mut found: Vec<(Option<Moment>, Json)> =
            once.iter().map(|name| self.agent(name)).collect();
        found.sort_by(|(one, _), (other, _)| other.cmp(one));
        found.into_iter().map(|(_, agent)| agent).collect()
    }

    fn agent(&self, name: &str) -> (Option<Moment>, Json) {
        let sessions: Vec<Session> =
            self.active().into_iter().filter(|session| session.agent == name).collect();
        let seen = sessions.iter().filter_map(|session| session.seen.clone());
        let seen = seen.chain(self.said_at(name)).max();
        let tasks = |state: &str| {
            let is_its = |task: &&Record| {
                word(&task.body, "subagent_type").as_deref() == Some(name)
                    && OF_TASKS.status(task) == state
            };
            list(self.tasks.iter().filter(is_its).map(|task| task.id.clone()))
        };
        let has_begun = |story: &&Record| {
            let begun = ["doing", "in-progress", "in-review", "review"];
            word(&story.body, "owner").as_deref() == Some(name)
                && begun.contains(&OF_STORIES.status(story).as_str())
        };
        let stories = self.stories.iter().filter(has_begun).map(|story| story.id.clone());
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
            ("stories", list(stories)),
            ("last_message", said),
            (
                "questions",
                Json::map(vec![
                    ("to", open(&receiver)),
                    ("from", open(&|message| word(message, "from"))),
                ]),
            ),
        ]);
        (seen, agent)
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
