//! The counts of `/api/metrics`.

use super::answers::{ALL, is_active, is_completed, moment, story_status, tally_of};
use super::json::Json;
use super::time::Moment;
use super::{State, tally};

const BY_STATUS: [&str; 2] = ["by_status", "by_status_others"];

impl State {
    pub(super) fn metrics(&self) -> Vec<(&'static str, Json)> {
        let total = self.stories.len();
        let completed = self.stories.iter().filter(|story| is_completed(story)).count();
        vec![
            ("stories_total", Json::count(total)),
            ("stories_completed", Json::count(completed)),
            ("completion_percent", percent(completed, total)),
            ("stories", self.story_metrics(total, completed)),
            ("tasks", self.task_stats()),
            ("epics", self.epic_metrics()),
            ("sessions", self.session_metrics()),
            ("bus", self.bus_metrics()),
            ("timestamp", self.timestamp(ALL)),
        ]
    }

    fn story_metrics(&self, total: usize, completed: usize) -> Json {
        let statuses = self.stories.iter().map(story_status);
        let by_status = tally::count(tally::STORY_STATUSES, statuses);
        let mut members =
            vec![("total", Json::count(total)), ("completed", Json::count(completed))];
        members.extend(tally::members(BY_STATUS, tally::STORY_STATUSES, &by_status, 0));
        members.extend(tally_of(&self.stories, "owner", ["by_owner", "by_owner_others"]));
        Json::map(members)
    }

    fn epic_metrics(&self) -> Json {
        let epics = self.all_epics();
        let by_status = tally::count(&[], epics.iter().map(story_status));
        let mut members = vec![("total", Json::count(epics.len()))];
        members.extend(tally::members(BY_STATUS, &[], &by_status, 0));
        Json::map(members)
    }

    fn session_metrics(&self) -> Json {
        let active = self.sessions.iter().filter(|record| is_active(record)).count();
        Json::map(vec![
            ("total", Json::count(self.sessions.len())),
            ("active", Json::count(active)),
        ])
    }

    fn bus_metrics(&self) -> Json {
        let by = |name: &str, names| {
            let keys = || self.messages.iter().map(|message| tally::key(message, name));
            let named = tally::named(keys(), self.names);
            let counts = tally::count(&[], keys().filter(|key| named.contains(key)));
            let unnamed = keys().filter(|key| !named.contains(key)).count();
            tally::members(names, &[], &counts, unnamed)
        };
        let mut first: Option<(Moment, &Json)> = None;
        let mut last: Option<(Moment, &Json)> = None;
        for message in &self.messages {
            let (Some(moment), Some(text)) = (moment(message), message.get("timestamp")) else {
                continue;
            };
            if first.as_ref().is_none_or(|(earliest, _)| moment < *earliest) {
                first = Some((moment.clone(), text));
            }
            if last.as_ref().is_none_or(|(latest, _)| moment > *latest) {
                last = Some((moment, text));
            }
        }
        let text = |found: Option<(Moment, &Json)>| match found {
            Some((_, Json::Number(digits))) => Json::text(digits),
            Some((_, text)) => text.plain().map_or(Json::Null, Json::text),
            None => Json::Null,
        };
        let mut members = vec![("total", Json::count(self.messages.len()))];
        members.extend(by("type", ["by_type", "by_type_others"]));
        members.extend(by("from", ["by_sender", "by_sender_others"]));
        members.extend([("first_at", text(first)), ("last_at", text(last))]);
        Json::map(members)
    }
}

/// With one decimal, halves rounded up.
fn percent(part: usize, whole: usize) -> Json {
    let tenths = if whole == 0 { 0 } else { (2000 * part + whole) / (2 * whole) };
    Json::Number(format!("{}.{}", tenths / 10, tenths % 10))
}
