//! The questions of a retrospective, each with the messages that prompt it.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::figures::{Figures, show};
use super::{Exchange, Kind, Message, Verdict};

/// Most messages that are shown for a question, the newest.
const SHOWN: usize = 20;

/// Some of the questions.
pub(super) struct Section<'a> {
    heading: &'static str,
    prompts: Vec<Prompt<'a>>,
}

struct Prompt<'a> {
    question: String,
    evidence: Vec<&'a Message>,
}

impl Section<'_> {
    pub(super) fn questions(&self) -> impl Iterator<Item = String> {
        self.prompts.iter().map(|prompt| prompt.question.clone())
    }

    pub(super) fn data(&self) -> Value {
        let prompts = self.prompts.iter().map(|prompt| {
            let count = prompt.evidence.len();
            let rest = count.saturating_sub(SHOWN);
            let rows: Vec<Value> =
                prompt.evidence[rest..].iter().map(|message| message.row()).collect();
            let evidence = json!({"count": count, "rest": rest, "rows": rows});
            json!({"question": prompt.question, "evidence": evidence})
        });
        json!({"heading": self.heading, "prompts": prompts.collect::<Vec<_>>()})
    }
}

/// What a message tells, for the questions.
fn is(message: &Message, kind: Kind, verdict: Option<Verdict>) -> bool {
    message.kind == kind && (verdict.is_none() || message.verdict == verdict)
}

/// All questions.
pub(super) fn sections<'a>(
    messages: &'a [Message],
    exchanges: &[Exchange<'a>],
    figures: &Figures<'a>,
) -> Vec<Section<'a>> {
    let unanswered = exchanges.iter().filter(|exchange| exchange.answer.is_none());
    let unanswered: Vec<&Message> = unanswered.map(|exchange| exchange.question).collect();
    vec![
        Section { heading: "What went well", prompts: well(messages) },
        Section { heading: "What went badly", prompts: badly(messages, &unanswered, figures) },
        Section { heading: "Actions", prompts: actions(messages, unanswered) },
    ]
}

/// Questions of which each has evidence, or one that says that there is none.
fn kept<'a>(all: Vec<(&str, Vec<&'a Message>)>, otherwise: &str) -> Vec<Prompt<'a>> {
    let mut prompts: Vec<Prompt<'_>> = all
        .into_iter()
        .filter(|(_, evidence)| !evidence.is_empty())
        .map(|(question, evidence)| Prompt { question: question.to_owned(), evidence })
        .collect();
    if prompts.is_empty() {
        prompts.push(Prompt { question: otherwise.to_owned(), evidence: Vec::new() });
    }
    prompts
}

fn well(messages: &[Message]) -> Vec<Prompt<'_>> {
    let of = |kind, verdict| messages.iter().filter(|found| is(found, kind, verdict)).collect();
    let all = vec![
        ("What made these tasks come to an end?", of(Kind::Completed, None)),
        ("What got these reviews accepted?", of(Kind::Review, Some(Verdict::Passed))),
        ("Which of these checks are worth keeping?", of(Kind::Gate, Some(Verdict::Passed))),
    ];
    kept(
        all,
        "What went well? The log tells of no completed task, accepted review or passed check.",
    )
}

fn badly<'a>(
    messages: &'a [Message],
    unanswered: &[&'a Message],
    figures: &Figures<'a>,
) -> Vec<Prompt<'a>> {
    let of = |kind, verdict| messages.iter().filter(|found| is(found, kind, verdict)).collect();
    let all = vec![
        ("Why did these tasks fail?", of(Kind::Failed, None)),
        ("Why did these reviews refuse?", of(Kind::Review, Some(Verdict::Refused))),
        ("Why did these checks fail?", of(Kind::Gate, Some(Verdict::Refused))),
        ("Could these blocks have been seen before?", of(Kind::Blocked, None)),
        ("Why was this work cancelled?", of(Kind::Cancelled, None)),
        ("Why did nobody answer these questions?", unanswered.to_vec()),
    ];
    let otherwise = "What went badly? The log tells of nothing that failed, was refused or waited.";
    let mut prompts = kept(all, otherwise);
    if let Some(median) = figures.median_task().filter(|_| figures.tasks.len() > 2) {
        let long = figures.tasks.iter().filter(|(took, _)| took.saturating_sub(median) > median);
        let evidence: Vec<&Message> = long.map(|(_, message)| *message).collect();
        if !evidence.is_empty() {
            let median = show(median);
            let question =
                format!("Why did these tasks take more than twice the median of {median}?");
            prompts.push(Prompt { question, evidence });
        }
    }
    prompts
}

fn actions<'a>(messages: &'a [Message], unanswered: Vec<&'a Message>) -> Vec<Prompt<'a>> {
    let passed = Some(Verdict::Passed);
    let refused = Some(Verdict::Refused);
    let all = vec![
        (
            "Who sees to these failed tasks? No later message completes them.",
            unsettled(
                messages,
                |one| is(one, Kind::Failed, None),
                |one| is(one, Kind::Completed, None),
            ),
        ),
        (
            "Who sees to what was refused here? No later review accepts it.",
            unsettled(
                messages,
                |one| is(one, Kind::Review, refused),
                |one| is(one, Kind::Review, passed),
            ),
        ),
        (
            "Who mends what failed these checks? No later check passes.",
            unsettled(
                messages,
                |one| is(one, Kind::Gate, refused),
                |one| is(one, Kind::Gate, passed),
            ),
        ),
        (
            "Who removes these blocks? No later message says that it goes on.",
            unsettled(
                messages,
                |one| is(one, Kind::Blocked, None),
                |one| matches!(one.kind, Kind::Unblocked | Kind::Started | Kind::Completed),
            ),
        ),
        ("Who answers these questions?", unanswered),
    ];
    kept(all, "What is to be done differently? The log leaves nothing open.")
}

/// The messages of one sort that no later one of another sort settles, about the same story (the same task, where there
/// is none). What is about neither stays open.
fn unsettled(
    messages: &[Message],
    is_open: impl Fn(&Message) -> bool,
    settles: impl Fn(&Message) -> bool,
) -> Vec<&Message> {
    let mut settled = HashSet::new();
    let mut open = Vec::new();
    for message in messages.iter().rev() {
        let about =
            (message.story.as_ref(), message.story.is_none().then_some(message.task.as_ref()));
        let is_about = message.story.is_some() || message.task.is_some();
        if settles(message) && is_about {
            settled.insert(about);
        } else if is_open(message) && !settled.contains(&about) {
            open.push(message);
        }
    }
    open.reverse();
    open
}
