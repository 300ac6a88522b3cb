//! `adr-template`: writes a decision as the next record of an ADR folder, and links a superseded record back to it.

mod outline;
mod records;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use outline::Outline;
use records::{Record, Records, split_number};

use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values::{Block, Date, Line, TextOrNumber};
use crate::output::{Artifact, Fault, Output, Result, bad_text};
use crate::page::{self, Document, Finding, Form, Page, Section};
use crate::page::{paragraphs, section_text, titled};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::text::prose::prose;
use crate::text::{after, capital, heading, line, plain, sentences, slug};

pub(super) const SKILL: Skill = Skill {
    name: "adr-template",
    input: Definition {
        takes: &[takes(ContentKind::Text, "topic"), takes(ContentKind::Markdown, "topic")],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, _| page::check(text, &Form::new("# Title", SECTIONS), faults)),
};

const STATUS: Section = Section::new("status", "Status", &[], "");
#[rustfmt::skip]
const SECTIONS: &[Section; 5] = &[
    STATUS,
    Section::new("context", "Context", &["Context and problem statement", "Problem"], r"\<why a decision is needed>"),
    Section::new("decision", "Decision", &["Decision outcome", "Outcome"], r"\<what is decided, and why>"),
    Section::new("consequences", "Consequences", &[], r"\<what becomes better, and what becomes worse>"),
    Section::new("options", "Alternatives", &["Considered options", "Options considered", "Alternatives considered"],
        r"\<which other options were considered, and why not>"),
];

/// A decision, and the sections of its record.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = page::Labels(SECTIONS), extend("x-unknown" = "other things, such as the drivers of the decision, stand in context"))]
struct Input {
    /// What is decided; its first sentence is the title.
    #[schemars(extend("x-title" = true, "x-labels" = ["Title"]))]
    topic: Block,
    /// Why a decision is needed.
    #[schemars(extend("x-rest" = true))]
    context: Option<Block>,
    /// The decision in words.
    decision: Option<Block>,
    /// The name of the chosen option.
    #[schemars(extend("x-labels" = ["Chosen option"]))]
    chosen: Option<Line>,
    /// Why the option is chosen.
    #[schemars(extend("x-labels" = ["Because"]))]
    reason: Option<Line>,
    /// The consequences of the decision: text, a list, or an object of lists such as positive and negative.
    consequences: Option<Outline>,
    /// The options that were considered: text, a list of names, or objects with a name and what is said of it, such as reason.
    #[schemars(extend("x-commas" = true))]
    options: Option<Outline>,
    /// The status: proposed, accepted, rejected, deprecated, or superseded by a record. Default: proposed.
    status: Option<Status>,
    /// The day of the decision, such as 2026-01-31. Default: that of the existing record, else today.
    date: Option<Date>,
    /// The people who decide.
    #[serde(default)]
    #[schemars(extend("x-commas" = true, "x-labels" = ["Decision-makers", "Decision makers"]))]
    deciders: Vec<Line>,
    /// The record that this one replaces once it is accepted, by its number or file.
    supersedes: Option<TextOrNumber>,
    /// The folder of the records, which determines the next number. Default: docs/adr.
    folder: Option<Line>,
}

const STATUSES: [&str; 4] = ["proposed", "accepted", "rejected", "deprecated"];

/// A status: its first line, and what stands below, such as the link to a record that it supersedes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Status(String);

impl TryFrom<String> for Status {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let text = text.trim().trim_matches('*').to_owned();
        after(&text, &STATUSES)
            .or_else(|| after(&text, &["superseded by "]))
            .ok_or("one of proposed, accepted, rejected, deprecated, or `superseded by …`")?;
        let first = text.lines().next().unwrap_or_default().to_lowercase();
        let is_named =
            |word: &&str| first.split(|c: char| !c.is_alphabetic()).any(|part| part == *word);
        if STATUSES[..3].iter().filter(|word| is_named(word)).count() > 1 {
            return Err("one status");
        }
        Ok(Self(text))
    }
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let (stated, title, mut more) = topic(&input.topic);
    let said = status_sentence(&mut more);
    let records = Records::read(input.folder.as_deref().unwrap_or("docs/adr"), context)?;
    let stem = slug(&title, "decision");
    let same = records.with_stem(&stem);
    let number = same.map_or_else(|| records.next(stated), |record| record.number);
    let file = format!("{number:04}-{stem}.md");
    // Made again on another day, a record stays as it is.
    let kept = same.and_then(|same| Date::new(&records.day(same)?).ok());
    let day = input.date.as_ref().or(kept.as_ref()).map_or(context.today(), |date| date);
    let mut notes = Vec::new();
    if let Some(Record { file, .. }) = same {
        notes.push(format!("{file} is this decision already, so it keeps its number."));
    } else if let Some(stated) = stated.filter(|stated| *stated != number) {
        notes.push(format!("number {stated} is taken; the next one is {number}"));
    }
    let status = input.status.as_ref().or(said.as_ref()).map_or("Proposed", |status| &status.0);
    if let (Some(_), Some(Status(said))) = (&input.status, &said)
        && !said.eq_ignore_ascii_case(status)
    {
        notes.push(format!("status=… replaces {said:?} of the input"));
    }
    let word = status.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let word = word.to_lowercase();
    let mut superseded = None;
    if let Some(older) = &input.supersedes {
        let older = records.named("supersedes", &older.0, &file)?;
        if word == "accepted" {
            let link = format!("[{number}. {}]({file})", prose(&title));
            superseded = Some(supersede(&records, older, &link, &file)?);
        } else {
            notes.push(format!(
                "{} stays as it is: an accepted record supersedes it (add status=accepted)",
                older.file
            ));
        }
    }
    let texts = texts(input, status_text(status, superseded.as_ref()), &more)?;
    let options = texts[4].to_lowercase();
    if let Some(chosen) = &input.chosen
        && !options.is_empty()
        && !options.contains(&chosen.to_lowercase())
    {
        notes.push(format!("{chosen} is chosen, and is none of the options."));
    }
    let mut front = vec![format!("Date: {}", prose(day))];
    if !input.deciders.is_empty() {
        let deciders: Vec<String> = input.deciders.iter().map(|name| prose(name)).collect();
        front.push(format!("Deciders: {}", deciders.join(", ")));
    }
    let texts = texts.map(|text| section_text(&text));
    let page = Page::new(format!("{number}. {}", prose(&title)), front, SECTIONS, texts);
    let text = engine::render_page("adr-template", "assets/template.md.tera", &page)?;
    let data = json!({
        "number": number, "title": title, "date": day, "status": word, "file": file,
        "supersedes": superseded.as_ref().map(|(_, old)| &old.path),
    });
    let mut artifacts = vec![Artifact::new(file, "markdown", text)];
    artifacts.extend(superseded.map(|(_, old)| old));
    Ok(Output { open: page.open(), data, artifacts, notes })
}

/// The number before the title of a topic, the title, and the rest.
fn topic(topic: &str) -> (Option<u32>, String, String) {
    let topic = topic.trim();
    let (mark, text) = heading(topic).map_or(("", topic), |(_, text)| ("# ", text));
    let (number, text) = split_number(text);
    let (title, more) = titled(&format!("{mark}{text}"));
    (number, title, more)
}

/// A status that is the last sentence of a text, such as `Accepted.`, which is taken out.
fn status_sentence(text: &mut String) -> Option<Status> {
    let last = sentences(text.lines().last()?).pop()?;
    let word = last.trim_end_matches('.');
    let is_word = STATUSES.iter().any(|known| known.eq_ignore_ascii_case(word));
    let status = Status::try_from(word.to_owned()).ok().filter(|_| is_word)?;
    text.truncate(text.rfind(&last)?);
    Some(status)
}

/// The given status, with a link to the record that is superseded in place of any that stands there.
fn status_text(status: &str, superseded: Option<&(String, Artifact)>) -> String {
    let Some((title, artifact)) = superseded else { return capital(status) };
    let kept = status.lines().filter(|line| after(line, &["Supersedes ["]).is_none());
    let kept = capital(&kept.collect::<Vec<_>>().join("\n"));
    format!("{kept}\n\nSupersedes [{}]({})", prose(title), artifact.path)
}

/// The texts of [`SECTIONS`].
fn texts(input: &Input, status: String, more: &str) -> Result<[String; 5]> {
    let context = paragraphs(&[more, input.context.as_deref().unwrap_or_default()]);
    if let Some((name, wanted)) = page::foreign(&context, SECTIONS) {
        return Err(bad_text("topic", name, &wanted));
    }
    let chosen = input.chosen.as_ref().map(|name| format!("Chosen option: {name}"));
    let reason = input.reason.as_ref().map(|reason| format!("Reason: {reason}"));
    let decision = input.decision.as_deref().unwrap_or_default();
    let decision =
        paragraphs(&[&chosen.unwrap_or_default(), &reason.unwrap_or_default(), decision]);
    let list = |given: &Option<Outline>, marks| {
        given.as_ref().map(|given| given.markdown(marks)).unwrap_or_default()
    };
    let (consequences, options) =
        (list(&input.consequences, &[';']), list(&input.options, &[';', ',']));
    Ok([status, context, decision, consequences, options])
}

/// The title of a superseded record, and its text with a status that links to the one that supersedes it, in `file`.
fn supersede(
    records: &Records,
    old: &Record,
    link: &str,
    file: &str,
) -> Result<(String, Artifact)> {
    let (text, subject) = records.text(old)?;
    for row in text.lines().filter(|row| row.to_lowercase().contains("superseded by [")) {
        if !row.contains(&format!("({file})")) {
            let what = format!("{} is superseded already: {}", old.file, line(row));
            return Err(Fault::Refused(what));
        }
    }
    let document = Document::read(&text);
    let Some(stated) = document.part(&STATUS) else {
        return Err(Fault::Refused(format!(
            "{} has no section of its status; write it below a heading `## Status`, then repeat",
            old.file
        )));
    };
    let status = format!("Deprecated, superseded by {link}");
    // What stands there besides a status is kept: older links, dates, who decided.
    let mut kept = Vec::new();
    for line in &stated.lines {
        let bare = line.text.trim();
        let is_word = !bare.contains(' ') && Status::try_from(bare.to_owned()).is_ok();
        if !is_word && bare != status {
            kept.push(line.text);
        }
    }
    let status = format!("{status}\n\n{}", kept.join("\n").trim());
    let title = document.title().map_or_else(|| old.file.clone(), |title| plain(title.name));
    let text = page::replace(&text, stated, status.trim_end());
    let artifact = Artifact::new(&old.file, "markdown", text).in_place_of(Some(subject));
    Ok((split_number(&title).1.to_owned(), artifact))
}

/// What is wrong with the date or the status of a record.
fn faults(document: &Document<'_>, findings: &mut Vec<Finding>) {
    for (line, day) in document.labelled("Date: ") {
        if let Err(wanted) = Date::new(day) {
            let what = format!("the date is {day:?}, but must be {wanted}");
            findings.push(Finding::new(line, what));
        }
    }
    if let Some(line) = document.part(&STATUS).and_then(page::Part::first)
        && let Err(wanted) = Status::try_from(line.text.to_owned())
    {
        let what = format!("the status is {:?}, but must be {wanted}", line.text);
        findings.push(Finding::new(line.number, what));
    }
}
