//! The questions of a retrospective, each with its evidence.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::durations::show;
use super::figures::Figures;
use super::stories::Stories;
use super::{Exchange, Kind, Message, Story, Verdict, line, say};

/// Largest number of messages or stories that are shown for a question, the newest.
const SHOWN: usize = 5;

/// Some of the questions.
pub(super) struct Section<'a> {
    heading: &'static str,
    prompts: Vec<Prompt<'a>>,
}

struct Prompt<'a> {
    question: String,
    evidence: Vec<Evidence<'a>>,
}

/// Evidence for a question.
#[derive(Clone, Copy)]
enum Evidence<'a> {
    Message(&'a Message),
    /// A message that is cited at another question already.
    Again(&'a Message),
    /// The end of a task, with its duration in milliseconds.
    Took(u64, &'a Message),
    Story(&'a Story),
}

/// The story, or the task, that a message is about.
fn subject(message: &Message) -> Option<String> {
    let about = message.story.as_deref().or(message.task.as_deref());
    about.map(line).filter(|about| !about.is_empty())
}

impl Evidence<'_> {
    /// What it is about, if it is cited elsewhere.
    fn again(&self) -> Option<String> {
        match self {
            Self::Again(message) => Some(subject(message).unwrap_or_else(|| message.cite())),
            _ => None,
        }
    }

    fn row(&self) -> Value {
        let of = |message: &Message, words: Option<String>| {
            let parts: Vec<String> = subject(message).into_iter().chain(words).collect();
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
            let rows: Vec<Value> = prompt.evidence[rest..].iter().map(Evidence::row).collect();
            let mut again: Vec<String> = prompt.evidence[rest..].iter().filter_map(Evidence::again).collect();
            again.dedup();
            let evidence =
                json!({"count": count, "rest": rest, "shown": rows.len(), "rows": rows, "again": again.join(", ")});
            json!({"question": prompt.question, "evidence": evidence})
        });
        json!({"heading": self.heading, "prompts": prompts.collect::<Vec<_>>()})
    }
}

/// Whether a message is of a kind and outcome.
fn is(message: &Message, kind: Kind, verdict: Option<Verdict>) -> bool {
    message.kind == kind && (verdict.is_none() || message.verdict == verdict)
}

/// All questions.
pub(super) fn sections<'a>(
    messages: &'a [Message],
    exchanges: &[Exchange<'a>],
    figures: &Figures<'a>,
    stories: &Stories<'a>,
) -> Vec<Section<'a>> {
    let unanswered = exchanges.iter().filter(|exchange| exchange.answer.is_none());
    let unanswered: Vec<&Message> = unanswered.map(|exchange| exchange.question).collect();
    vec![
        Section { heading: "What went well", prompts: well(messages, stories) },
        Section { heading: "What went badly", prompts: badly(messages, &unanswered, figures) },
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

/// The messages of a kind and outcome.
fn of(messages: &[Message], kind: Kind, verdict: Option<Verdict>) -> Vec<Evidence<'_>> {
    messages.iter().filter(|found| is(found, kind, verdict)).map(Evidence::Message).collect()
}

fn well<'a>(messages: &'a [Message], stories: &Stories<'a>) -> Vec<Prompt<'a>> {
    let passed = Some(Verdict::Passed);
    let mut all = vec![
        (
            "What helped to complete these stories?",
            stories.completed.iter().map(|story| Evidence::Story(story)).collect(),
        ),
        ("What helped to complete these tasks?", of(messages, Kind::Completed, None)),
        ("What got these reviews accepted?", of(messages, Kind::Review, passed)),
        ("Which of these checks are worth keeping?", of(messages, Kind::Gate, passed)),
    ];
    // One success is named once, though its task, its review and its checks have messages too.
    let mut named: HashSet<String> =
        stories.completed.iter().map(|story| line(&story.id)).collect();
    for (_, evidence) in &mut all {
        evidence.retain(|one| match one {
            Evidence::Message(message) => subject(message).is_none_or(|own| named.insert(own)),
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
    let refused = Some(Verdict::Refused);
    let unanswered = unanswered.iter().map(|question| Evidence::Message(question)).collect();
    let all = vec![
        ("Why did these tasks fail?", of(messages, Kind::Failed, None)),
        ("Why did these reviews reject the work?", of(messages, Kind::Review, refused)),
        ("Why did these checks fail?", of(messages, Kind::Gate, refused)),
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
    unanswered: Vec<&'a Message>,
    stories: &Stories<'a>,
) -> Vec<Prompt<'a>> {
    let passed = Some(Verdict::Passed);
    let refused = Some(Verdict::Refused);
    let again = |found: Vec<&'a Message>| found.into_iter().map(Evidence::Again).collect();
    // What stopped a story is settled when the story is completed, with or without a message.
    let done: HashSet<&str> = stories.completed.iter().map(|story| story.id.as_str()).collect();
    let is_open = |one: &&Message| !one.story.as_deref().is_some_and(|id| done.contains(id));
    let open = |found: Vec<&'a Message>| again(found.into_iter().filter(is_open).collect());
    let failed = unsettled(
        messages,
        |one| is(one, Kind::Failed, None),
        |one| is(one, Kind::Completed, None),
    );
    let reviews = unsettled(
        messages,
        |one| is(one, Kind::Review, refused),
        |one| is(one, Kind::Review, passed),
    );
    let checks =
        unsettled(messages, |one| is(one, Kind::Gate, refused), |one| is(one, Kind::Gate, passed));
    let blocks = unsettled(
        messages,
        |one| is(one, Kind::Blocked, None),
        |one| matches!(one.kind, Kind::Unblocked | Kind::Started | Kind::Completed),
    );
    let all = vec![
        ("Who completes these failed tasks?", open(failed)),
        ("Who fixes what these reviews rejected?", open(reviews)),
        ("Who fixes what failed these checks?", open(checks)),
        ("Who resolves these blocks?", open(blocks)),
        ("Who answers these questions?", again(unanswered)),
    ];
    kept(all, "What is to be done differently?")
}

/// The messages of one kind that no later message of another kind resolves, about the same story (or the same task,
/// without a story). Messages about neither stay unresolved.
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
