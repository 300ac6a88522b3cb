//! `adr-template`: writes a decision as the next record of an ADR folder, and links a superseded record back to it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values::{Block, Date, Line, TextOrList, TextOrNumber};
use crate::output::{Artifact, Fault, Output, Result, bad_text};
use crate::page::{self, Document, Finding, Form, Page, Section};
use crate::page::{headings, paragraphs, titled};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::runtime::numbered::{Numbered, NumberedFolder, numbered};
use crate::text::prose::prose;
use crate::text::{after, capital, heading, line, plain, slug};

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

#[rustfmt::skip]
const SECTIONS: &[Section] = &[
    Section::new("status", "Status", &[], ""),
    Section::new("context", "Context", &["Context and problem statement", "Problem"], r"\<why a decision is needed>"),
    Section::new("decision", "Decision", &["Decision outcome", "Outcome"], r"\<what is decided, and why>"),
    Section::new("consequences", "Consequences", &[], r"\<what becomes better, and what becomes worse>"),
    Section::new("options", "Alternatives", &["Considered options", "Alternatives considered"],
        r"\<which other options were considered, and why not>"),
];

/// What an item of the options is.
const OPTION: &str =
    "A name; with arguments the options are one text, each below a heading such as `### SQLite`";

/// A decision, and the sections of its record.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = page::Labels(SECTIONS))]
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
    /// The consequences of the decision: a list, or text.
    consequences: Option<TextOrList<Line>>,
    /// The options that were considered: names, or a text with arguments below a heading such as `### SQLite`.
    #[schemars(extend("items" = json!({"type": "string", "description": OPTION})))]
    options: Option<TextOrList<Line>>,
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

/// A status: its first line, and what stands below, such as the link to a record that it supersedes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Status(String);

impl TryFrom<String> for Status {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let text = text.trim().trim_matches('*').to_owned();
        after(&text, &["proposed", "accepted", "rejected", "deprecated", "superseded by "])
            .ok_or("one of proposed, accepted, rejected, deprecated, or `superseded by …`")?;
        let first = text.lines().next().unwrap_or_default().to_lowercase();
        let is_named =
            |word: &&str| first.split(|c: char| !c.is_alphabetic()).any(|part| part == *word);
        if ["proposed", "accepted", "rejected"].iter().filter(|word| is_named(word)).count() > 1 {
            return Err("one status");
        }
        Ok(Self(text))
    }
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let (stated, title, more) = topic(&input.topic);
    let folder = NumberedFolder::read(input.folder.as_deref().unwrap_or("docs/adr"), context)?;
    let stem = slug(&title, "decision");
    let same = folder.of(&stem);
    let number = same.map_or_else(|| folder.next(stated), |record| record.number);
    let file = format!("{number:04}-{stem}.md");
    // Made again on another day, a record stays as it is.
    let kept = same.and_then(|same| Date::new(&folder.labelled(same, "Date: ")?).ok());
    let day = input.date.as_ref().or(kept.as_ref()).map_or(context.today(), |date| date);
    let status = input.status.as_ref().map_or("Proposed", |status| &status.0);
    let word = status.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let older = input.supersedes.as_ref().map(|older| folder.named("supersedes", &older.0, &file));
    let older = older.transpose()?;
    let replaced = older.filter(|_| word.eq_ignore_ascii_case("accepted"));
    let link = format!("[{number}. {}]({file})", prose(&title));
    let superseded = replaced.map(|older| supersede(&folder, older, &link, &file)).transpose()?;
    let is_kept = |line: &&str| replaced.is_none() || after(line, &["Supersedes ["]).is_none();
    let status = capital(&status.lines().filter(is_kept).collect::<Vec<_>>().join("\n"));
    let mut status = SECTIONS[0].with(Some(&status));
    if let (Some(body), Some((title, old))) = (&mut status.body, &superseded) {
        *body = format!("{body}\n\nSupersedes [{}]({})", prose(title), old.path);
    }
    let bodies = bodies(input, &more)?;
    let stray = input.chosen.as_ref().filter(|name| {
        !bodies[3].is_empty() && !bodies[3].to_lowercase().contains(&name.to_lowercase())
    });
    let stray = stray.map(|name| format!("{name} is chosen, and is none of the options."));
    let sections = SECTIONS[1..].iter().zip(bodies);
    let sections = sections.map(|(section, text)| section.with(Some(&text)));
    let deciders: Vec<String> = input.deciders.iter().map(|name| prose(name)).collect();
    let front = [("Date", prose(day)), ("Deciders", deciders.join(", "))];
    let sections = std::iter::once(status).chain(sections).collect();
    let page = Page::new(format!("{number}. {}", prose(&title)), &front, sections);
    let text = engine::render_page("adr-template", "assets/template.md.tera", &page)?;
    let data = json!({
        "number": number, "title": title, "date": day, "status": word.to_lowercase(), "file": file,
        "supersedes": replaced.map(|old| &old.file),
    });
    let kept =
        same.map(|same| format!("{} is this decision already, so it keeps its number.", same.file));
    let waits = older.filter(|_| replaced.is_none()).map(|Numbered { file, .. }| {
        format!("{file} stays as it is: an accepted record supersedes it (add status=accepted)")
    });
    let mut artifacts = vec![Artifact::new(file, "markdown", text)];
    artifacts.extend(superseded.map(|(_, changed)| changed));
    let notes = kept.into_iter().chain(waits).chain(stray).collect();
    Ok(Output { open: page.open(), data, artifacts, notes })
}

/// The texts of [`SECTIONS`] below the status.
fn bodies(input: &Input, more: &str) -> Result<[String; 4]> {
    let context = paragraphs(&[more, input.context.as_deref().unwrap_or_default()]);
    if let Some((name, wanted)) = page::foreign(&context, SECTIONS) {
        return Err(bad_text("topic", name, &wanted));
    }
    let chosen = input.chosen.as_ref().map(|name| format!("Chosen option: {name}"));
    let reason = input.reason.as_ref().map(|reason| format!("Reason: {reason}"));
    let decision = input.decision.as_deref().unwrap_or_default();
    let decision =
        paragraphs(&[&chosen.unwrap_or_default(), &reason.unwrap_or_default(), decision]);
    let consequences = input.consequences.as_ref().map(|given| given.markdown(&[';']));
    let options = input.options.as_ref().map(|given| given.markdown(&[';', ',']));
    Ok([context, decision, consequences.unwrap_or_default(), options.unwrap_or_default()])
}

/// The number before the title of a topic, the title, and the rest.
fn topic(topic: &str) -> (Option<u32>, String, String) {
    let name = heading(topic.trim()).map(|(_, name)| name);
    let (number, rest) = numbered(name.unwrap_or(topic.trim()));
    let (title, more) = titled(&name.map_or(rest.to_owned(), |_| format!("# {rest}")));
    (number, title, more)
}

/// The title of a superseded record, and its text with a status that links to the new one, which is in `file`.
fn supersede(
    folder: &NumberedFolder,
    old: &Numbered,
    link: &str,
    file: &str,
) -> Result<(String, Artifact)> {
    let (text, subject) = folder.text(old)?;
    let is_other = |line: &&str| {
        line.to_lowercase().contains("superseded by [") && !line.contains(&format!("({file})"))
    };
    if let Some(other) = text.lines().find(is_other) {
        let what = format!("{} is superseded already: {}", old.file, line(other));
        return Err(Fault::Refused(what));
    }
    let document = Document::read(&text);
    let Some(stated) = document.part(&SECTIONS[0]) else {
        return Err(Fault::Refused(format!(
            "{} has no section of its status; write it below a heading `## Status`, then repeat",
            old.file
        )));
    };
    let title = headings(&text).find(|(_, level, _)| *level == 1);
    let title = title.map_or_else(|| old.file.clone(), |(.., name)| plain(name));
    let title = numbered(&title).1.to_owned();
    // What stands there besides a status is kept: older links, dates, who decided.
    let status = format!("Deprecated, superseded by {link}");
    let is_status = |line: &str| {
        let is_word = !line.contains(' ') && Status::try_from(line.to_owned()).is_ok();
        is_word || line == status
    };
    let kept = stated.lines.iter().map(|line| line.text).filter(|line| !is_status(line.trim()));
    let kept = kept.collect::<Vec<_>>().join("\n");
    let status = format!("{status}\n\n{}", kept.trim());
    let status = status.trim_end();
    let text = page::replace(&text, stated, status);
    Ok((title, Artifact::new(&old.file, "markdown", text).in_place_of(Some(subject))))
}

/// What is wrong with the date or the status of a record.
fn faults(document: &Document<'_>, findings: &mut Vec<Finding>) {
    findings.extend(Finding::refused(document.labelled("Date: "), "date", Date::new));
    let status = document.part(&SECTIONS[0]).and_then(page::Part::first);
    let status = status.into_iter().map(|line| (line.number, line.text));
    let read = |text: &str| Status::try_from(text.to_owned());
    findings.extend(Finding::refused(status, "status", read));
}
