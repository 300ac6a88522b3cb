//! The questions of a retrospective, each with its evidence.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::durations::show;
use super::figures::Figures;
use super::stories::Stories;
use super::{Kind, Message, Story, Verdict, line, say};

/// Largest number of messages or stories that are shown for a question, the newest.
const SHOWN: usize = 5;

/// The questions under a heading.
pub(super) struct Section<'a> {
    heading: &'static str,
    prompts: Vec<Prompt<'a>>,
}

struct Prompt<'a> {
    question: String,
    evidence: Vec<Evidence<'a>>,
}

#[derive(Clone, Copy)]
enum Evidence<'a> {
    Message(&'a Message),
    /// A message that is cited at another question already.
    Again(&'a Message),
    /// The end of a task, with its duration in milliseconds.
    Took(u64, &'a Message),
    Story(&'a Story),
}

impl Evidence<'_> {
    /// What it is about, if it is cited elsewhere.
    fn again(&self) -> Option<String> {
        let Self::Again(message) = self else { return None };
        Some(message.subject().unwrap_or_else(|| message.cite()))
    }

    fn row(&self) -> Value {
        let of = |message: &Message, words: Option<String>| {
            let parts: Vec<String> = message.subject().into_iter().chain(words).collect();
            json!({"said": parts.join(": "), "cite": message.cite()})
        };
        match self {
            Self::Message(message) => of(message, message.excerpt()),
            Self::Again(message) => of(message, None),
            Self::Took(took, message) => of(message, Some(show(*took))),
            Self::Story(story) => {
                let id = line(&story.id);
                json!({"said": format!("{id}: {}", say::name(story)), "cite": format!("story {id}")})
            }
        }
    }
}

impl Section<'_> {
    pub(super) fn questions(&self) -> impl Iterator<Item = String> {
        self.prompts.iter().map(|prompt| prompt.question.clone())
    }

    pub(super) fn data(&self) -> Value {
        let prompts = self.prompts.iter().map(|prompt| {
            let count = prompt.evidence.len();
            let rest = count.saturating_sub(SHOWN);
            let shown = &prompt.evidence[rest..];
            let rows: Vec<Value> = shown.iter().map(Evidence::row).collect();
            let mut again: Vec<String> = shown.iter().filter_map(Evidence::again).collect();
            again.dedup();
            let evidence =
                json!({"count": count, "rest": rest, "shown": rows.len(), "rows": rows, "again": again.join(", ")});
            json!({"question": prompt.question, "evidence": evidence})
        });
        json!({"heading": self.heading, "prompts": prompts.collect::<Vec<_>>()})
    }
}

const PASSED: Option<Verdict> = Some(Verdict::Passed);
const REFUSED: Option<Verdict> = Some(Verdict::Refused);

type Test = fn(&Message) -> bool;

/// The questions about what stopped work: each with the messages that do, and those that settle it.
const STOPS: [(&str, Test, Test); 4] = [
    (
        "Who completes these failed tasks?",
        |one| is(one, Kind::Failed, None),
        |one| is(one, Kind::Completed, None),
    ),
    (
        "Who fixes what these reviews rejected?",
        |one| is(one, Kind::Review, REFUSED),
        |one| is(one, Kind::Review, PASSED),
    ),
    (
        "Who fixes what failed these checks?",
        |one| is(one, Kind::Gate, REFUSED),
        |one| is(one, Kind::Gate, PASSED),
    ),
    (
        "Who resolves these blocks?",
        |one| is(one, Kind::Blocked, None),
        |one| matches!(one.kind, Kind::Unblocked | Kind::Started | Kind::Completed),
    ),
];

fn is(message: &Message, kind: Kind, verdict: Option<Verdict>) -> bool {
    message.kind == kind && (verdict.is_none() || message.verdict == verdict)
}

pub(super) fn sections<'a>(
    messages: &'a [Message],
    unanswered: &[&'a Message],
    figures: &Figures<'a>,
    stories: &Stories<'a>,
) -> Vec<Section<'a>> {
    vec![
        Section { heading: "What went well", prompts: well(messages, stories) },
        Section { heading: "What went badly", prompts: badly(messages, unanswered, figures) },
        Section { heading: "Actions", prompts: actions(messages, unanswered, stories) },
    ]
}

/// The questions with evidence, or the plain question if there are none.
fn kept<'a>(all: Vec<(&str, Vec<Evidence<'a>>)>, otherwise: &str) -> Vec<Prompt<'a>> {
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

fn of(messages: &[Message], kind: Kind, verdict: Option<Verdict>) -> Vec<Evidence<'_>> {
    messages.iter().filter(|found| is(found, kind, verdict)).map(Evidence::Message).collect()
}

fn well<'a>(messages: &'a [Message], stories: &Stories<'a>) -> Vec<Prompt<'a>> {
    let mut all = vec![
        (
            "What helped to complete these stories?",
            stories.completed.iter().map(|story| Evidence::Story(story)).collect(),
        ),
        ("What helped to complete these tasks?", of(messages, Kind::Completed, None)),
        ("What got these reviews accepted?", of(messages, Kind::Review, PASSED)),
        ("Which of these checks are worth keeping?", of(messages, Kind::Gate, PASSED)),
    ];
    // One success is named once, though its task, its review and its checks have messages too.
    let mut named: HashSet<String> =
        stories.completed.iter().map(|story| line(&story.id)).collect();
    for (_, evidence) in &mut all {
        evidence.retain(|one| match one {
            Evidence::Message(message) => message.subject().is_none_or(|own| named.insert(own)),
            _ => true,
        });
    }
    kept(all, "What went well?")
}

fn badly<'a>(
    messages: &'a [Message],
    unanswered: &[&'a Message],
    figures: &Figures<'a>,
) -> Vec<Prompt<'a>> {
    let unanswered = unanswered.iter().map(|question| Evidence::Message(question)).collect();
    let all = vec![
        ("Why did these tasks fail?", of(messages, Kind::Failed, None)),
        ("Why did these reviews reject the work?", of(messages, Kind::Review, REFUSED)),
        ("Why did these checks fail?", of(messages, Kind::Gate, REFUSED)),
        ("Could these blocks have been foreseen?", of(messages, Kind::Blocked, None)),
        ("Why was this work cancelled?", of(messages, Kind::Cancelled, None)),
        ("Why did nobody answer these questions?", unanswered),
    ];
    let mut prompts = kept(all, "What went badly?");
    if let Some(median) = figures.median_task().filter(|_| figures.tasks.len() > 2) {
        let long = figures.tasks.iter().filter(|(took, _)| took.saturating_sub(median) > median);
        let evidence: Vec<Evidence<'_>> =
            long.map(|(took, message)| Evidence::Took(*took, message)).collect();
        if !evidence.is_empty() {
            let median = show(median);
            let question =
                format!("Why did these tasks take more than twice the median of {median}?");
            prompts.push(Prompt { question, evidence });
        }
    }
    prompts
}

fn actions<'a>(
    messages: &'a [Message],
    unanswered: &[&'a Message],
    stories: &Stories<'a>,
) -> Vec<Prompt<'a>> {
    // What stopped a story is settled when the story is completed, with or without a message.
    let done: HashSet<&str> = stories.completed.iter().map(|story| story.id.as_str()).collect();
    let is_open = |one: &&Message| !one.story.as_deref().is_some_and(|id| done.contains(id));
    let again = |found: Vec<&'a Message>| found.into_iter().map(Evidence::Again).collect();
    let mut all: Vec<_> = STOPS
        .iter()
        .map(|(question, stops, settles)| {
            let open = unsettled(messages, *stops, *settles).into_iter().filter(is_open);
            (*question, again(open.collect()))
        })
        .collect();
    all.push(("Who answers these questions?", again(unanswered.to_vec())));
    kept(all, "What is to be done differently?")
}

/// The messages of one kind that no later message of another kind resolves, about the same story (or the same task,
/// without a story). Messages about neither stay unresolved.
fn unsettled(messages: &[Message], stops: Test, settles: Test) -> Vec<&Message> {
    let mut settled = HashSet::new();
    let mut open = Vec::new();
    for message in messages.iter().rev() {
        let about =
            (message.story.as_ref(), message.story.is_none().then_some(message.task.as_ref()));
        let is_about = message.story.is_some() || message.task.is_some();
        if settles(message) && is_about {
            settled.insert(about);
        } else if stops(message) && !settled.contains(&about) {
            open.push(message);
        }
    }
    open.reverse();
    open
}
