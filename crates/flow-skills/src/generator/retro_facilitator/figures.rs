//! The figures of a log: counts, and how long things took.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::{Exchange, Kind, Message, Verdict, line, say};

/// A day in nanoseconds.
const DAY: i64 = 86_400_000_000_000;

/// The figures.
#[derive(Debug)]
pub(super) struct Figures<'a> {
    messages: usize,
    days: usize,
    ends: Option<(&'a str, &'a str)>,
    types: Vec<(&'a str, usize)>,
    senders: Vec<(&'a str, usize)>,
    kinds: HashMap<(Kind, Option<bool>), usize>,
    answered: usize,
    /// How long questions waited for their answers, in milliseconds, in order.
    waits: Vec<u64>,
    /// The completed tasks that say how long they took, the shortest first.
    pub(super) tasks: Vec<(u64, &'a Message)>,
}

impl<'a> Figures<'a> {
    pub(super) fn count(messages: &'a [Message], exchanges: &[Exchange<'_>]) -> Self {
        let timed = || messages.iter().filter_map(|message| Some((message.at?, message)));
        let days: HashSet<i64> = timed().map(|(at, _)| at.div_euclid(DAY)).collect();
        let end = |found: Option<(i64, &'a Message)>| found?.1.time.as_deref();
        let first = end(timed().min_by_key(|(at, _)| *at));
        let last = end(timed().max_by_key(|(at, _)| *at));
        let mut kinds = HashMap::new();
        for message in messages {
            let passed = message.verdict.map(|verdict| verdict == Verdict::Passed);
            *kinds.entry((message.kind, passed)).or_default() += 1;
        }
        let mut waits: Vec<u64> = exchanges.iter().filter_map(Exchange::waited_ms).collect();
        waits.sort_unstable();
        let done = messages.iter().filter(|message| message.kind == Kind::Completed);
        let mut tasks: Vec<(u64, &Message)> =
            done.filter_map(|message| Some((message.duration_ms?, message))).collect();
        tasks.sort_by_key(|(took, _)| *took);
        Self {
            messages: messages.len(),
            days: days.len(),
            ends: first.zip(last),
            types: tally(messages.iter().map(|message| message.spelt.as_deref())),
            senders: tally(messages.iter().map(|message| message.from.as_deref())),
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

    /// How long a completed task took that is in the middle.
    pub(super) fn median_task(&self) -> Option<u64> {
        median(&self.tasks.iter().map(|(took, _)| *took).collect::<Vec<_>>())
    }

    fn longest_task(&self) -> Option<&(u64, &'a Message)> {
        self.tasks.last()
    }

    /// They as data; times in milliseconds.
    pub(super) fn data(&self) -> Value {
        let rows = |counts: &[(&str, usize)]| {
            say::limit_rows(counts, |(name, count)| {
                let shown = if line(name).is_empty() { "(blank)" } else { name };
                json!({"name": shown, "count": count})
            })
        };
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
            "first": self.ends.map(|(first, _)| first),
            "last": self.ends.map(|(_, last)| last),
            "by_type": rows(&self.types),
            "by_sender": rows(&self.senders),
            "tasks": {
                "assigned": self.all(Kind::Assigned), "started": self.all(Kind::Started),
                "completed": self.all(Kind::Completed), "failed": self.all(Kind::Failed),
                "blocked": self.all(Kind::Blocked), "cancelled": self.all(Kind::Cancelled),
            },
            "reviews": outcome(Kind::Review, ["accepted", "refused"]),
            "gates": outcome(Kind::Gate, ["passed", "failed"]),
            "questions": {
                "asked": asked, "answered": self.answered, "unanswered": asked - self.answered,
                "timed": self.waits.len(), "median_ms": median(&self.waits),
                "longest_ms": self.waits.last(),
            },
            "durations": {
                "timed": self.tasks.len(), "median_ms": self.median_task(),
                "longest_ms": self.longest_task().map(|(took, _)| took),
                "cite": self.longest_task().map(|(_, message)| message.cite()),
            },
        })
    }

    /// The table of figures, each row with a name and text that is ready for Markdown.
    pub(super) fn table(&self) -> Value {
        let data = self.data();
        let mut rows: Vec<Value> = Vec::new();
        let mut row = |name: &str, value: String| {
            rows.push(json!({"name": name, "value": say::escape(&value)}));
        };
        let written = |value: &Value| value.as_str().unwrap_or("none").to_owned();
        let took = |value: &Value| value.as_u64().map_or_else(|| "none".to_owned(), show);
        row("messages", data["messages"].to_string());
        row("days with messages", data["days"].to_string());
        row("first message", written(&data["first"]));
        row("last message", written(&data["last"]));
        for (group, noun) in [("tasks", "tasks"), ("reviews", "reviews"), ("gates", "gate checks")]
        {
            for (name, count) in data[group].as_object().into_iter().flatten() {
                let name = if name == "unsaid" { "without an outcome" } else { name };
                row(&format!("{noun} {name}"), count.to_string());
            }
        }
        for name in ["asked", "answered", "unanswered"] {
            row(&format!("questions {name}"), data["questions"][name].to_string());
        }
        row("time to an answer, median", took(&data["questions"]["median_ms"]));
        row("time to an answer, longest", took(&data["questions"]["longest_ms"]));
        row("tasks that say how long they took", data["durations"]["timed"].to_string());
        row("time of a task, median", took(&data["durations"]["median_ms"]));
        let longest = took(&data["durations"]["longest_ms"]);
        let cite = data["durations"]["cite"].as_str().map(|cite| format!(" ({cite})"));
        row("time of a task, longest", longest + &cite.unwrap_or_default());
        rows.into()
    }
}

/// How often each value occurs, the most frequent first; what has none counts as `none`.
fn tally<'a>(values: impl Iterator<Item = Option<&'a str>>) -> Vec<(&'a str, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for value in values {
        *counts.entry(value.unwrap_or("none")).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(value, count)| (Reverse(*count), *value));
    counts
}

/// The middle of sorted figures; of two in the middle their mean, rounded down.
fn median(sorted: &[u64]) -> Option<u64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get((sorted.len() - 1) / 2)?;
    Some(u64::midpoint(lower, upper))
}

/// A time in its two largest units: `1 h 3 min`; what is smaller is left out.
pub(super) fn show(milliseconds: u64) -> String {
    const UNITS: [(u64, &str); 5] =
        [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s"), (1, "ms")];
    let first = UNITS.iter().position(|(size, _)| milliseconds >= *size).unwrap_or(UNITS.len() - 1);
    let (size, unit) = UNITS[first];
    let whole = format!("{} {unit}", milliseconds / size);
    match UNITS.get(first + 1) {
        Some((next, unit)) if milliseconds % size >= *next => {
            format!("{whole} {} {unit}", milliseconds % size / next)
        }
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_two_units() {
        let all = [0, 14, 1000, 61_500, 3_807_000, 3_600_000, 90_335_000, 86_400_001];
        let shown = ["0 ms", "14 ms", "1 s", "1 min 1 s", "1 h 3 min", "1 h", "1 d 1 h", "1 d"];
        assert_eq!(all.map(show), shown);
        assert_eq!(
            [median(&[]), median(&[3]), median(&[3, 6]), median(&[1, 3, 9])],
            [None, Some(3), Some(4), Some(3)]
        );
        assert_eq!(median(&[u64::MAX, u64::MAX]), Some(u64::MAX));
    }
}
