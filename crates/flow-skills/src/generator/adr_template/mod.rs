//! `adr-template`: writes a decision as the next record of an ADR folder, and links a superseded record back to it.

mod records;

use std::collections::HashSet;

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::json;

use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values::{Block, Date, Line, TextOr, TextOrList, TextOrNumber};
use crate::output::{Artifact, Output, Result, bad_text};
use crate::page::{self, Finding, Form, LEVEL, Page, Section, bullets, headings};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::text::prose::prose;
use crate::text::{after, capital, heading, headline, line, sentences, slug};
use records::Records;

pub(super) const SKILL: Skill = Skill {
    name: "adr-template",
    input: Definition {
        takes: &[
            takes(ContentKind::Text, "topic"),
            takes(ContentKind::Adr, "topic"),
            takes(ContentKind::Markdown, "topic"),
        ],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Decision,
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

/// A decision, and the sections of its record.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = labelled)]
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
    /// The options that were considered, each a name or an object with pros and cons; or text.
    options: Option<TextOrList<TextOr<Choice>>>,
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

fn labelled(schema: &mut Schema) {
    page::label(schema, SECTIONS);
}

/// An option.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Choice {
    /// The name of the option.
    name: Line,
    /// Arguments for it.
    #[serde(default)]
    pros: Vec<Line>,
    /// Arguments against it.
    #[serde(default)]
    cons: Vec<Line>,
}

impl TryFrom<Line> for Choice {
    type Error = &'static str;

    fn try_from(name: Line) -> Result<Self, &'static str> {
        Ok(Self { name, pros: Vec::new(), cons: Vec::new() })
    }
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
        Ok(Self(text))
    }
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let (stated, title, more) = topic(&input.topic);
    let records = Records::read(input.folder.as_deref().unwrap_or("docs/adr"), context)?;
    let stem = slug(&title, "decision");
    let same = records.of(&stem);
    let number = same.map_or_else(|| records.number(stated), |record| record.number);
    let file = format!("{number:04}-{stem}.md");
    let day = input.date.as_ref().map(ToString::to_string);
    let day = day.or_else(|| records.date(&same?.file));
    let day = day.unwrap_or_else(|| context.today().to_owned());
    let status = input.status.as_ref().map_or("Proposed", |status| &status.0);
    let word = status.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let old = input.supersedes.as_ref().map(|given| records.named(&given.0, &file)).transpose()?;
    let (old, waiting) =
        if word.eq_ignore_ascii_case("accepted") { (old, None) } else { (None, old) };
    let link = format!("[{number}. {}]({file})", prose(&title));
    let linked = old.map(|old| records.supersede(old, &link, &file)).transpose()?;
    let (old_title, changed) = linked.unzip();
    let is_kept = |line: &&str| old.is_none() || after(line, &["Supersedes ["]).is_none();
    let status = capital(&status.lines().filter(is_kept).collect::<Vec<_>>().join("\n"));
    let mut state = SECTIONS[0].with(Some(&status));
    if let (Some(old), Some(title), Some(body)) = (old, old_title, &mut state.body) {
        *body = format!("{body}\n\nSupersedes [{}]({})", prose(&title), old.file);
    }
    let bodies = SECTIONS[1..].iter().zip(bodies(input, &more)?);
    let bodies = bodies.map(|(section, text)| section.with(text.as_deref()));
    let sections: Vec<Section> = std::iter::once(state).chain(bodies).collect();
    let mut front = vec![format!("Date: {}", prose(&day))];
    if !input.deciders.is_empty() {
        let people: Vec<String> = input.deciders.iter().map(|name| prose(name)).collect();
        front.push(format!("Deciders: {}", people.join(", ")));
    }
    let page = Page { title: format!("{number}. {}", prose(&title)), front, sections };
    let text = engine::render_page("adr-template", "assets/template.md.tera", &page)?;
    let body = |at: usize| &page.sections[at].body;
    let data = json!({
        "number": number, "title": title, "date": day, "status": word.to_lowercase(), "file": file,
        "chosen": input.chosen, "reason": input.reason, "supersedes": old.map(|old| &old.file),
        "context": body(1), "decision": body(2), "consequences": body(3), "alternatives": body(4),
    });
    let kept =
        same.map(|same| format!("{} is this decision already, so it keeps its number.", same.file));
    let waits = waiting.map(|old| {
        let file = &old.file;
        format!("{file} stays as it is: an accepted record supersedes it (add status=accepted)")
    });
    Ok(Output {
        open: page.open(),
        data,
        artifacts: [Artifact::new(file, "markdown", text)].into_iter().chain(changed).collect(),
        notes: kept.into_iter().chain(waits).collect(),
    })
}

/// The texts of [`SECTIONS`] below the status.
fn bodies(input: &Input, more: &str) -> Result<[Option<String>; 4]> {
    let context = joined(&[more, input.context.as_deref().unwrap_or_default()]);
    if let Some((_, _, name)) = headings(&context).find(|(_, level, _)| *level <= LEVEL) {
        let names: Vec<&str> = SECTIONS.iter().map(|section| section.heading).collect();
        let names = names.join(", ");
        let wanted = format!("a section of a record ({names}), or a heading of level 3 in one");
        return Err(bad_text("topic", name, &wanted));
    }
    let chosen = chosen(input)?.map(|name| format!("Chosen option: {name}")).unwrap_or_default();
    let reason = input.reason.as_ref().map(|reason| format!("Reason: {reason}"));
    let decision = input.decision.as_deref().unwrap_or_default();
    let decision = joined(&[&chosen, &reason.unwrap_or_default(), decision]);
    let consequences = input.consequences.as_ref().map(|given| match given {
        TextOrList::Text(text) => listed(text, &[';']),
        TextOrList::Items(items) => bullets(items.iter().map(|item| &**item)),
    });
    let options = input.options.as_ref().map(|given| match given {
        TextOrList::Text(text) => listed(text, &[';', ',']),
        TextOrList::Items(items) => items.iter().map(option).collect::<Vec<_>>().join("\n"),
    });
    Ok([Some(context), Some(decision), consequences, options])
}

/// The name of the chosen option, which must be one of those that are listed, each once.
fn chosen(input: &Input) -> Result<Option<&Line>> {
    let Some(TextOrList::Items(items)) = &input.options else { return Ok(input.chosen.as_ref()) };
    let names: Vec<&Line> = items.iter().map(|item| &item.0.name).collect();
    let mut known = HashSet::new();
    if let Some(at) = names.iter().position(|name| !known.insert(&***name)) {
        return Err(bad_text(&format!("options[{at}]"), names[at], "named once"));
    }
    let Some(chosen) = &input.chosen else { return Ok(None) };
    let same = names.iter().find(|name| name.to_lowercase() == chosen.to_lowercase());
    let all = || names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    same.map(|name| Some(*name))
        .ok_or_else(|| bad_text("chosen", chosen, &format!("one of {}", all())))
}

/// An option: a heading with its arguments if it has any, else an item.
fn option(TextOr(Choice { name, pros, cons }): &TextOr<Choice>) -> String {
    let good = pros.iter().map(|text| format!("Good: {text}"));
    let sides = bullets(good.chain(cons.iter().map(|text| format!("Bad: {text}"))));
    if sides.is_empty() { format!("- {name}") } else { format!("### {name}\n\n{sides}\n") }
}

/// A text of one line as a list of its parts; one of several lines as it is.
fn listed(text: &str, marks: &[char]) -> String {
    let is_list = !text.trim().contains('\n') && text.contains(marks);
    if is_list { bullets(text.split(marks)) } else { text.to_owned() }
}

/// The texts that are not blank, as paragraphs.
fn joined(texts: &[&str]) -> String {
    let texts = texts.iter().copied().filter(|text| !text.trim().is_empty());
    texts.collect::<Vec<_>>().join("\n\n")
}

/// The number before the title of a topic (`# 7. `, `ADR-0007: `), the title, which is a heading or the first sentence, and
/// the rest.
fn topic(topic: &str) -> (Option<u32>, String, String) {
    let (first, rest) = topic.trim().split_once('\n').unwrap_or((topic.trim(), ""));
    let name = heading(first).map(|(_, name)| name);
    let bare = name.unwrap_or(first);
    let bare = after(bare, &["ADR-", "ADR "]).unwrap_or(bare);
    let split = [". ", ": ", " - ", " – "].iter().find_map(|end| bare.split_once(end));
    // A larger one is a year.
    let number = |text: &str| text.parse().ok().filter(|number| (1..=999).contains(number));
    let numbered = split.and_then(|(before, title)| Some((number(before)?, title)));
    let bare = line(numbered.map_or(name.unwrap_or(first), |(_, title)| title));
    let (title, more) = headline(&if name.is_some() { vec![bare] } else { sentences(&bare) });
    (numbered.map(|(number, _)| number), title, joined(&[&more, rest.trim_matches('\n')]))
}

/// What is wrong with the date or the status of a record.
fn faults(document: &page::Document<'_>, findings: &mut Vec<Finding>) {
    let value = |text: &str, name| after(text, &[name]).map(str::to_owned);
    for line in document.lines() {
        let text = line.text.trim();
        let date = value(text, "Date: ").and_then(|date| Some((Date::new(&date).err()?, date)));
        findings.extend(date.map(|(wanted, date)| {
            Finding::new(line.number, format!("the date is {date:?}, but must be {wanted}"))
        }));
    }
    let part = document.parts.iter().find(|part| SECTIONS[0].is_named(part.name));
    let mut filled = part.into_iter().flat_map(page::Part::prose);
    let stated = filled.find(|line| !line.text.trim().is_empty());
    findings.extend(stated.and_then(|line| {
        let wanted = Status::try_from(line.text.to_owned()).err()?;
        Some(Finding::new(
            line.number,
            format!("the status is {:?}, but must be {wanted}", line.text),
        ))
    }));
}
