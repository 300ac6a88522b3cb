//! A few numbers about a project's agents and its plan, computed from answers of the API.

use std::fmt::Write as _;

use serde_json::Value;

/// The paths of the answers. The filter keeps the second one short: its counts include all kinds.
const METRICS: &str = "/api/metrics";
const ATTENTION: &str = "/api/attention?kind=source_degraded";
const HEALTH: &str = "/api/health";
/// The first story in progress, which is asked for only where a plan of another tool is read.
const IN_PROGRESS: &str = "/api/stories?status=in-progress&limit=1";

/// The numbers about a project's agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// How far the plan of another tool is, if one is read. It contains an id of the files as it is.
    pub(super) plan: Option<String>,
    /// Tasks in the state running.
    pub(super) running: u64,
    /// Of the items that need attention, the blocked tasks and stories.
    pub(super) blocked: u64,
    /// All items that need attention, as `/api/attention` counts them.
    pub(super) need_you: u64,
    /// Reports that records may not be read as meant.
    pub(super) suspicious: u64,
    /// The completed stories, and all.
    pub(super) done: u64,
    pub(super) stories: u64,
}

impl Counts {
    /// Requests the answers; `None` if one is missing or invalid.
    pub(super) fn ask(get: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let read = |path: &str| serde_json::from_str::<Value>(&get(path)?).ok();
        let metrics = read(METRICS)?;
        let running = metrics["tasks"]["by_state"]["running"].as_u64()?;
        let counts = &read(ATTENTION)?["counts"];
        let blocked = counts["task_blocked"].as_u64()? + counts["story_blocked"].as_u64()?;
        let need_you = counts["total"].as_u64()?;
        let health = read(HEALTH)?;
        let sources = health["sources"].as_object()?.values();
        // A server of an earlier version does not report them.
        let suspicious = sources.filter_map(|source| source["suspicious"].as_u64()).sum();
        let plan = reads_plan(&health).then(|| {
            let answer = read(IN_PROGRESS).unwrap_or_default();
            progress(&answer["stories"][0], &metrics)
        });
        let number = |name: &str| metrics[name].as_u64().unwrap_or_default();
        let (done, stories) = (number("stories_completed"), number("stories_total"));
        Some(Self { plan, running, blocked, need_you, suspicious, done, stories })
    }

    /// The numbers of several projects together.
    pub(super) fn total<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            plan: None,
            running: sum.running + one.running,
            blocked: sum.blocked + one.blocked,
            need_you: sum.need_you + one.need_you,
            suspicious: sum.suspicious + one.suspicious,
            done: sum.done + one.done,
            stories: sum.stories + one.stories,
        })
    }

    /// How many stories are done, where the line does not say how far the plan is.
    pub(super) fn progress(&self) -> Option<String> {
        let is_told = self.plan.is_some() || self.stories == 0;
        (!is_told).then(|| format!("{} of {} stories done", self.done, self.stories))
    }

    /// One line: `3 running · 3 need you (1 blocked) · 4 suspicious`. Zero counts are omitted, except for the first where no
    /// plan is read: `001-login: 3 of 12 done · 1 running`.
    pub(super) fn line(&self) -> String {
        let mut line = match &self.plan {
            Some(plan) if self.running == 0 => plan.clone(),
            Some(plan) => format!("{plan} · {} running", self.running),
            None => format!("{} running", self.running),
        };
        if self.need_you > 0 {
            let _ = write!(line, " · {} need you", self.need_you);
        }
        if self.blocked > 0 {
            let _ = write!(line, " ({} blocked)", self.blocked);
        }
        if self.suspicious > 0 {
            let _ = write!(line, " · {} suspicious", self.suspicious);
        }
        line
    }

    /// As JSON.
    pub(super) fn facts(&self) -> Value {
        let mut facts = serde_json::json!({
            "running": self.running,
            "blocked": self.blocked,
            "need_you": self.need_you,
            "suspicious": self.suspicious,
        });
        if let Some(plan) = &self.plan {
            facts["plan"] = plan.as_str().into();
        }
        facts
    }
}

/// Whether a plan of another tool is read: its source has a number of files.
fn reads_plan(health: &Value) -> bool {
    let mut sources =
        health["sources"].as_object().into_iter().flat_map(|sources| sources.values());
    sources.any(|source| source["files"].is_u64())
}

/// How far the current story is; without one, or without tasks in it, how far all tasks or stories are.
fn progress(current: &Value, metrics: &Value) -> String {
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    if let (Some(id), Some(total)) = (current["id"].as_str(), current["tasks_total"].as_u64()) {
        return format!("{id}: {} of {total} done", number(&current["tasks_completed"]));
    }
    let tasks = &metrics["tasks"];
    let (noun, done, total) = match number(&tasks["total"]) {
        0 => ("stories", &metrics["stories_completed"], &metrics["stories_total"]),
        _ => ("tasks", &tasks["by_state"]["completed"], &tasks["total"]),
    };
    format!("{} of {} {noun} done", number(done), number(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_are_those_of_attention() {
        let get = |path: &str| {
            Some(match path {
                METRICS => r#"{"tasks":{"by_state":{"running":3,"queued":1}}}"#.to_owned(),
                HEALTH => r#"{"sources":{"status":{"suspicious":3},"bus":{}}}"#.to_owned(),
                _ => r#"{"counts":{"total":5,"task_blocked":1,"story_blocked":2}}"#.to_owned(),
            })
        };
        let counts = Counts::ask(get).unwrap();
        assert_eq!(
            counts,
            Counts { running: 3, blocked: 3, need_you: 5, suspicious: 3, ..Counts::default() }
        );
        assert_eq!(counts.line(), "3 running · 5 need you (3 blocked) · 3 suspicious");
        assert_eq!(Counts::default().line(), "0 running");
        assert_eq!(Counts::ask(|_| Some("{}".to_owned())), None);
    }

    #[test]
    fn a_plan_comes_before_the_counts_of_agents() {
        let line = |stories: &str, metrics: &str| {
            let get = |path: &str| {
                Some(match path {
                    METRICS => metrics.to_owned(),
                    HEALTH => r#"{"sources":{"kiro":{"files":2}}}"#.to_owned(),
                    IN_PROGRESS => format!("{{\"stories\":[{stories}]}}"),
                    _ => r#"{"counts":{"total":0,"task_blocked":0,"story_blocked":0}}"#.to_owned(),
                })
            };
            Counts::ask(get).unwrap().line()
        };
        let tasks = r#"{"tasks":{"total":80,"by_state":{"running":1,"completed":37}}}"#;
        let current = r#"{"id":"001-login","tasks_total":12,"tasks_completed":3}"#;
        assert_eq!(line(current, tasks), "001-login: 3 of 12 done · 1 running");
        assert_eq!(line("", tasks), "37 of 80 tasks done · 1 running");
        let stories = r#"{"tasks":{"total":0,"by_state":{"running":0}},"stories_total":5,"stories_completed":2}"#;
        assert_eq!(line(r#"{"id":"TASK-1"}"#, stories), "2 of 5 stories done");
    }
}
