//! The figures of a log: counts and durations.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::durations::{median, show};
use crate::project_state::exchange::Exchange;
use crate::project_state::say::counted;
use crate::project_state::{Kind, Message, Verdict};

/// A day in nanoseconds.
const DAY: i64 = 86_400_000_000_000;
/// The counts of messages about tasks.
const TASKS: [(&str, Kind); 6] = [
    ("assigned", Kind::Assigned),
    ("started", Kind::Started),
    ("completed", Kind::Completed),
    ("failed", Kind::Failed),
    ("blocked", Kind::Blocked),
    ("cancelled", Kind::Cancelled),
];

#[derive(Debug)]
pub(super) struct Figures<'a> {
    messages: usize,
    days: usize,
    kinds: HashMap<(Kind, Option<bool>), usize>,
    answered: usize,
    /// The times that questions waited for their answers, in milliseconds, sorted.
    waits: Vec<u64>,
    /// The completed tasks with a duration, shortest first.
    pub(super) tasks: Vec<(u64, &'a Message)>,
}

impl<'a> Figures<'a> {
    pub(super) fn count(messages: &[&'a Message], exchanges: &[Exchange<'_>]) -> Self {
        let days: HashSet<i64> =
            messages.iter().filter_map(|message| Some(message.at?.div_euclid(DAY))).collect();
        let mut kinds = HashMap::new();
        for message in messages {
            let passed = message.verdict.map(|verdict| verdict == Verdict::Passed);
            *kinds.entry((message.kind, passed)).or_default() += 1;
        }
        let mut waits: Vec<u64> = exchanges.iter().filter_map(Exchange::waited_ms).collect();
        waits.sort_unstable();
        let done = messages.iter().filter(|message| message.kind == Kind::Completed).copied();
        let mut tasks: Vec<(u64, &Message)> =
            done.filter_map(|message| Some((message.duration_ms?, message))).collect();
        tasks.sort_by_key(|(took, _)| *took);
        Self {
            messages: messages.len(),
            days: days.len(),
            kinds,
            answered: exchanges.iter().filter(|exchange| exchange.answer.is_some()).count(),
            waits,
            tasks,
        }
    }

    fn of(&self, kind: Kind, passed: Option<bool>) -> usize {
        self.kinds.get(&(kind, passed)).copied().unwrap_or_default()
    }

    fn all(&self, kind: Kind) -> usize {
        [None, Some(true), Some(false)].into_iter().map(|passed| self.of(kind, passed)).sum()
    }

    pub(super) fn median_task(&self) -> Option<u64> {
        median(&self.tasks.iter().map(|(took, _)| *took).collect::<Vec<_>>())
    }

    fn task_counts(&self) -> [(&'static str, usize); 6] {
        TASKS.map(|(name, kind)| (name, self.all(kind)))
    }

    /// As JSON; times in milliseconds.
    pub(super) fn data(&self) -> Value {
        let outcome = |kind: Kind, [good, bad]: [&str; 2]| {
            json!({
                (good): self.of(kind, Some(true)), (bad): self.of(kind, Some(false)),
                "unsaid": self.of(kind, None),
            })
        };
        let asked = self.all(Kind::Question);
        json!({
            "messages": self.messages,
            "days": self.days,
            "tasks": self.task_counts().into_iter().collect::<IndexMap<_, _>>(),
            "reviews": outcome(Kind::Review, ["accepted", "rejected"]),
            "gates": outcome(Kind::Gate, ["passed", "failed"]),
            "questions": {
                "asked": asked, "answered": self.answered, "unanswered": asked - self.answered,
                "timed": self.waits.len(), "median_ms": median(&self.waits),
                "longest_ms": self.waits.last(),
            },
            "durations": {
                "timed": self.tasks.len(), "median_ms": self.median_task(),
                "longest_ms": self.tasks.last().map(|(took, _)| took),
                "cite": self.tasks.last().map(|(_, message)| message.cite()),
            },
        })
    }

    /// The rows of the table of figures: a row for each subject that has messages.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let counts = |counts: &[(&str, usize)]| {
            let shown = counts.iter().filter(|(_, count)| *count > 0);
            shown.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
        };
        let outcomes = |kind, good, bad| {
            counts(&[
                (good, self.of(kind, Some(true))),
                (bad, self.of(kind, Some(false))),
                ("without an outcome", self.of(kind, None)),
            ])
        };
        let asked = self.all(Kind::Question);
        let questions =
            [("asked", asked), ("answered", self.answered), ("unanswered", asked - self.answered)];
        let times = |sorted: &[u64], cite: String| {
            let (Some(median), Some(longest)) = (median(sorted), sorted.last()) else {
                return String::new();
            };
            if sorted.len() == 1 {
                return format!("{}{cite}", show(median));
            }
            format!("median {}, longest {}{cite}", show(median), show(*longest))
        };
        let cite = self.tasks.last().map(|(_, message)| format!(" ({})", message.cite()));
        let took: Vec<u64> = self.tasks.iter().map(|(took, _)| *took).collect();
        let days = counted(self.days, "day", "days");
        let days = if self.days > 0 { format!(" on {days}") } else { String::new() };
        [
            ("messages", format!("{}{days}", self.messages)),
            ("messages about tasks", counts(&self.task_counts())),
            ("reviews", outcomes(Kind::Review, "accepted", "rejected")),
            ("gate checks", outcomes(Kind::Gate, "passed", "failed")),
            ("questions", counts(&questions)),
            ("time to an answer", times(&self.waits, String::new())),
            ("time of a task", times(&took, cite.unwrap_or_default())),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect()
    }
}
