//! A few numbers about a project's agents, computed from three answers of the API.

use std::fmt::Write as _;

use serde_json::Value;

/// The paths of the answers. The filter keeps the second one short: its counts include all kinds.
const METRICS: &str = "/api/metrics";
const ATTENTION: &str = "/api/attention?kind=source_degraded";
const HEALTH: &str = "/api/health";

/// The numbers about a project's agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Tasks in the state running.
    pub(super) running: u64,
    /// Of the items that need attention, the blocked tasks and stories.
    pub(super) blocked: u64,
    /// All items that need attention, as `/api/attention` counts them.
    pub(super) need_you: u64,
    /// Reports that records may not be read as meant.
    pub(super) suspicious: u64,
}

impl Counts {
    /// Requests the answers; `None` if one is missing or invalid.
    pub(super) fn ask(get: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let read = |path: &str| serde_json::from_str::<Value>(&get(path)?).ok();
        let running = read(METRICS)?["tasks"]["by_state"]["running"].as_u64()?;
        let counts = &read(ATTENTION)?["counts"];
        let blocked = counts["task_blocked"].as_u64()? + counts["story_blocked"].as_u64()?;
        let need_you = counts["total"].as_u64()?;
        let health = read(HEALTH)?;
        let sources = health["sources"].as_object()?.values();
        // A server of an earlier version does not report them.
        let suspicious = sources.filter_map(|source| source["suspicious"].as_u64()).sum();
        Some(Self { running, blocked, need_you, suspicious })
    }

    /// One line: `3 running · 3 need you (1 blocked) · 4 suspicious`. Zero counts are omitted, except for the first.
    pub(super) fn line(self) -> String {
        let mut line = format!("{} running", self.running);
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
    pub(super) fn facts(self) -> Value {
        serde_json::json!({
            "running": self.running,
            "blocked": self.blocked,
            "need_you": self.need_you,
            "suspicious": self.suspicious,
        })
    }
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
        assert_eq!(counts, Counts { running: 3, blocked: 3, need_you: 5, suspicious: 3 });
        assert_eq!(counts.line(), "3 running · 5 need you (3 blocked) · 3 suspicious");
        assert_eq!(Counts::default().line(), "0 running");
        assert_eq!(Counts::ask(|_| Some("{}".to_owned())), None);
    }
}
