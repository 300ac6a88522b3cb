//! The figures of a time span: counts and durations, from the messages of the log and the dates of the records.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::durations::Durations;
use crate::generator::report::Board;
use crate::project_state::exchange::Exchange;
use crate::project_state::say::counted;
use crate::project_state::{Kind, Message, Story, Verdict};
use flow_model::time::{self, Edge};

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

type Counts = Vec<(&'static str, usize)>;

#[derive(Debug)]
pub(super) struct Figures<'a> {
    stories: Counts,
    story_times: Durations,
    messages: usize,
    days: usize,
    tasks: Counts,
    reviews: Counts,
    gates: Counts,
    questions: Counts,
    /// The times that questions waited for their answers.
    waits: Durations,
    pub(super) task_times: Durations,
    /// The completed tasks with a duration, shortest first.
    pub(super) timed: Vec<(u64, &'a Message)>,
}

impl<'a> Figures<'a> {
    pub(super) fn count(board: &Board<'a>, exchanges: &[Exchange<'_>]) -> Self {
        let messages = &board.past;
        let days: HashSet<i64> =
            messages.iter().filter_map(|message| Some(message.at?.div_euclid(DAY))).collect();
        let mut kinds: HashMap<(Kind, Option<Verdict>), usize> = HashMap::new();
        for message in messages {
            *kinds.entry((message.kind, message.verdict)).or_default() += 1;
        }
        let of = |kind, verdict| kinds.get(&(kind, verdict)).copied().unwrap_or_default();
        let [passed, refused] = [Some(Verdict::Passed), Some(Verdict::Refused)];
        let all = |kind| of(kind, None) + of(kind, passed) + of(kind, refused);
        let outcomes = |kind, good, bad| {
            let none = ("without an outcome", of(kind, None));
            vec![(good, of(kind, passed)), (bad, of(kind, refused)), none]
        };
        let done = messages.iter().filter(|message| message.kind == Kind::Completed).copied();
        let mut timed: Vec<(u64, &Message)> =
            done.filter_map(|message| Some((message.duration_ms?, message))).collect();
        timed.sort_by_key(|(took, _)| *took);
        let completed = board.completed();
        let answered = exchanges.iter().filter(|exchange| exchange.answer.is_some()).count();
        Self {
            stories: vec![("completed", completed.len()), ("begun", board.begun().len())],
            story_times: Durations::of(completed.iter().filter_map(|story| took_ms(story))),
            messages: messages.len(),
            days: days.len(),
            tasks: TASKS.map(|(name, kind)| (name, all(kind))).to_vec(),
            reviews: outcomes(Kind::Review, "accepted", "rejected"),
            gates: outcomes(Kind::Gate, "passed", "failed"),
            questions: vec![
                ("asked", exchanges.len()),
                ("answered", answered),
                ("unanswered", exchanges.len() - answered),
            ],
            waits: Durations::of(exchanges.iter().filter_map(Exchange::waited_ms)),
            task_times: Durations::of(timed.iter().map(|(took, _)| *took)),
            timed,
        }
    }

    /// The message about the task that took longest.
    fn longest(&self) -> Option<String> {
        self.timed.last().map(|(_, message)| message.cite())
    }

    /// As JSON; times in milliseconds.
    pub(super) fn data(&self) -> Value {
        let data = |counts: &Counts, times: Option<&Durations>| {
            let counts = counts.iter().map(|(name, count)| ((*name).to_owned(), json!(count)));
            let times = times.into_iter().flat_map(Durations::data);
            counts.chain(times).collect::<Map<_, _>>()
        };
        let mut durations = data(&Vec::new(), Some(&self.task_times));
        durations.insert("cite".to_owned(), json!(self.longest()));
        json!({
            "stories": data(&self.stories, Some(&self.story_times)),
            "messages": self.messages,
            "days": self.days,
            "tasks": data(&self.tasks, None),
            "reviews": data(&self.reviews, None),
            "gates": data(&self.gates, None),
            "questions": data(&self.questions, Some(&self.waits)),
            "durations": durations,
        })
    }

    /// The rows of the table of figures: a row for each subject that has any.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let counts = |counts: &Counts| {
            let shown = counts.iter().filter(|(_, count)| *count > 0);
            shown.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
        };
        let messages = match self.days {
            0 => self.messages.to_string(),
            days => format!("{} on {}", self.messages, counted(days, "day", "days")),
        };
        let task_time = match self.longest() {
            None => self.task_times.text(),
            Some(cite) => format!("{} ({cite})", self.task_times.text()),
        };
        let rows = [
            ("stories", counts(&self.stories)),
            ("time of a story", self.story_times.text()),
            ("messages", messages),
            ("messages about tasks", counts(&self.tasks)),
            ("reviews", counts(&self.reviews)),
            ("gate checks", counts(&self.gates)),
            ("questions", counts(&self.questions)),
            ("time to an answer", self.waits.text()),
            ("time of a task", task_time),
        ];
        rows.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }
}

/// The duration of a story; `None` if its record does not have both times in order, one of them is a date without a time,
/// or both are the same date.
fn took_ms(story: &Story) -> Option<u64> {
    let (first, last) = (story.started_at.as_deref()?, story.completed_at.as_deref()?);
    let is_date = |text: &str| !text.contains(':');
    if is_date(first) != is_date(last) || is_date(first) && first == last {
        return None;
    }
    let at = |text| time::parse(text, Edge::Start);
    let nanoseconds = i128::from(at(last)?) - i128::from(at(first)?);
    u64::try_from(nanoseconds / 1_000_000).ok().filter(|_| nanoseconds >= 0)
}
