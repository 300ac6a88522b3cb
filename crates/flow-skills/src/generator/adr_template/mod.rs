//! `adr-template`: writes a decision as the next record of an ADR folder, and links a superseded record back to it. A
//! record has one list of sections, all of them always; given text is placed word for word.

mod input;
mod records;
mod verify;

use serde_json::json;

use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::notation::headings;
use crate::input::values::{Line, TextOr, TextOrList};
use crate::output::{Artifact, Output, Result, bad_text};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::text::block::below;
use crate::text::prose::prose;
use crate::text::{capital, heading, headline, line, sentences, slug};
use input::{Choice, Input, Status};
use records::{Known, Records};

const NAME: &str = "adr-template";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
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
    verify: Some(|text, _| verify::verify(text)),
};

/// The sections of a record below its status, each with what belongs there.
const SECTIONS: [(&str, &str); 4] = [
    ("Context", "<why a decision is needed>"),
    ("Decision", "<what is decided, and why>"),
    ("Consequences", "<what becomes better, and what becomes worse>"),
    ("Alternatives", "<which other options were considered, and why not>"),
];
/// The level of the headings of sections.
const LEVEL: usize = 2;
/// Most options of a decision.
const MOST: usize = 200;

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let topic = Topic::read(&input.topic);
    let folder = Records::open(input.folder.as_deref(), context)?;
    let known = folder.list()?;
    let Slot { number, file, same } = Slot::of(&topic, &known);
    let today = || context.today().to_owned();
    let written = || same.and_then(|record| folder.date(&record.file));
    let day = input.date.as_ref().map(ToString::to_string).or_else(written).unwrap_or_else(today);
    let bodies = bodies(input, &topic)?;
    let named = records::superseded(input, &known, &file)?;
    let status = input.status.as_ref().map_or_else(|| "proposed".to_owned(), Status::word);
    let superseded = named.filter(|_| status == "accepted");
    let new = records::NewRecord { file: &file, number, name: &topic.title };
    let linked = superseded.map(|old| records::link_back(&folder, old, &new)).transpose()?;
    let (old_title, changed) = linked.unzip();
    let old_file = superseded.map(|old| old.file.as_str());
    let link = old_file
        .zip(old_title)
        .map(|(file, title)| format!("Supersedes [{}]({file})", prose(&title)));
    let section = |(at, body): (usize, &Option<String>)| {
        let (heading, blank) = SECTIONS[at];
        json!({"heading": heading, "body": body.clone().unwrap_or_else(|| prose(blank))})
    };
    let shown = input.status.as_ref().map_or("Proposed".into(), |own| own.text(link.is_some()));
    let people: Vec<String> = input.deciders.iter().map(|name| prose(name)).collect();
    let view = json!({
        "number": number, "title": prose(&topic.title), "date": prose(&day), "deciders": people.join(", "),
        "status": below(LEVEL, &capital(&shown)), "link": link,
        "sections": bodies.iter().enumerate().map(section).collect::<Vec<_>>(),
    });
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let mut artifacts = vec![Artifact::new(file.as_str(), "markdown", text)];
    artifacts.extend(changed);
    let missing = SECTIONS.iter().zip(&bodies).filter(|(_, body)| body.is_none());
    let open = missing.map(|((heading, _), _)| format!("{}: not given", heading.to_lowercase()));
    let kept =
        same.map(|own| format!("{} is this decision already, so it keeps its number.", own.file));
    let waits = named.filter(|_| superseded.is_none());
    let waits = waits.map(|old| {
        format!(
            "{} stays as it is: an accepted record supersedes it (add status=accepted)",
            old.file
        )
    });
    Ok(Output {
        data: json!({
            "number": number, "title": topic.title, "date": day, "status": status, "file": file,
            "chosen": input.chosen, "reason": input.reason, "supersedes": old_file,
            "context": bodies[0], "decision": bodies[1], "consequences": bodies[2], "alternatives": bodies[3],
        }),
        artifacts,
        open: open.collect(),
        notes: kept.into_iter().chain(waits).collect(),
    })
}

/// The texts of [`SECTIONS`] in Markdown.
fn bodies(input: &Input, topic: &Topic) -> Result<[Option<String>; 4]> {
    let placed = |text: &str| Some(below(LEVEL, text)).filter(|text| !text.trim().is_empty());
    let context = joined(&[&topic.more, input.context.as_deref().unwrap_or_default()]);
    if let Some((_, _, name)) = headings(&context).find(|(_, level, _)| *level <= LEVEL) {
        let names = SECTIONS.map(|(name, _)| name).join(", ");
        let wanted =
            format!("a section of a record (Status, {names}), or a heading of level 3 in one");
        return Err(bad_text("topic", name, &wanted));
    }
    let chosen = chosen(input)?.map(|name| format!("Chosen option: {name}"));
    let reason = input.reason.as_ref().map(|reason| format!("Reason: {reason}"));
    let lines = [chosen.unwrap_or_default(), reason.unwrap_or_default()];
    let decision = joined(&[&lines[0], &lines[1], input.decision.as_deref().unwrap_or_default()]);
    let consequences = input.consequences.as_ref().map(|given| match given {
        TextOrList::Text(text) => listed(text, &[';']),
        TextOrList::Items(items) => bullets(items.iter().map(Line::to_string)),
    });
    let alternatives = input.options.as_ref().map(|given| match given {
        TextOrList::Text(text) => listed(text, &[';', ',']),
        TextOrList::Items(items) => joined_choices(items),
    });
    Ok([
        placed(&context),
        placed(&decision),
        consequences.as_deref().and_then(placed),
        alternatives.as_deref().and_then(placed),
    ])
}

/// The name of the chosen option, which must be one of those that are listed.
fn chosen(input: &Input) -> Result<Option<&Line>> {
    let Some(TextOrList::Items(items)) = &input.options else { return Ok(input.chosen.as_ref()) };
    let names: Vec<&Line> = items.iter().map(|item| &item.0.name).collect();
    if names.len() > MOST {
        return Err(bad_text("options", "more options", &format!("at most {MOST} options")));
    }
    let is_known = |at: &usize| names[..*at].contains(&names[*at]);
    if let Some(at) = (0..names.len()).find(is_known) {
        return Err(bad_text(&format!("options[{at}]"), names[at], "named once"));
    }
    let Some(chosen) = &input.chosen else { return Ok(None) };
    let found = names.iter().find(|name| name.to_lowercase() == chosen.to_lowercase());
    let all = || names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    found
        .map(|name| Some(*name))
        .ok_or_else(|| bad_text("chosen", chosen, &format!("one of {}", all())))
}

/// A text of one line as a list of its parts; one of several lines as it is.
fn listed(text: &str, marks: &[char]) -> String {
    let is_list = !text.trim().contains('\n') && text.contains(marks);
    if is_list { bullets(text.split(marks).map(str::to_owned)) } else { text.to_owned() }
}

fn bullets(items: impl Iterator<Item = String>) -> String {
    let items = items.map(|item| item.trim().to_owned()).filter(|item| !item.is_empty());
    items.map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}

/// Options with their arguments: a heading for each that has any, else an item.
fn joined_choices(items: &[TextOr<Choice>]) -> String {
    let shown = |TextOr(Choice { name, pros, cons }): &TextOr<Choice>| {
        let sides = pros.iter().map(|text| format!("Good: {text}"));
        let sides = sides.chain(cons.iter().map(|text| format!("Bad: {text}")));
        match bullets(sides) {
            sides if sides.is_empty() => format!("- {name}"),
            sides => format!("### {name}\n\n{sides}\n"),
        }
    };
    items.iter().map(shown).collect::<Vec<_>>().join("\n")
}

/// The number and the file of a record: those of the existing record of the decision, else the number in its title if no
/// other record has it, else the next one.
struct Slot<'a> {
    number: u32,
    file: String,
    same: Option<&'a Known>,
}

impl<'a> Slot<'a> {
    fn of(topic: &Topic, known: &'a [Known]) -> Self {
        let stem = slug(&topic.title, "decision");
        let same = known.iter().find(|record| record.file.get(5..) == Some(&format!("{stem}.md")));
        let highest = known.iter().map(|record| record.number).max().unwrap_or(0);
        let is_free = |number: &u32| known.iter().all(|record| record.number != *number);
        let stated = topic.number.filter(is_free).unwrap_or(highest + 1);
        let number = same.map_or(stated, |record| record.number);
        Self { number, file: format!("{number:04}-{stem}.md"), same }
    }
}

/// The subject of the decision: the title, and the rest of the topic.
struct Topic {
    title: String,
    /// The number before its title.
    number: Option<u32>,
    more: String,
}

impl Topic {
    /// The title is a heading or the first sentence. A number may be before it (`# 7. `, `ADR-0007: `).
    fn read(topic: &str) -> Self {
        let (first, rest) = topic.trim().split_once('\n').unwrap_or((topic.trim(), ""));
        let name = heading(first).map(|(_, name)| name);
        let (number, bare) = numbered(name.unwrap_or(first));
        let bare = line(bare);
        let (title, more) = headline(&if name.is_some() { vec![bare] } else { sentences(&bare) });
        Self { title, number, more: joined(&[&more, rest.trim_matches('\n')]) }
    }
}

/// The texts that are not blank, as paragraphs.
fn joined(texts: &[&str]) -> String {
    let texts = texts.iter().copied().filter(|text| !text.trim().is_empty());
    texts.collect::<Vec<_>>().join("\n\n")
}

/// The number of a record before its title, and the title.
fn numbered(name: &str) -> (Option<u32>, &str) {
    let prefix = ["ADR-", "ADR ", "adr-"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
    let bare = prefix.unwrap_or(name);
    let rest = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let title = [". ", ": ", " - ", " – "].into_iter().find_map(|end| rest.strip_prefix(end));
    // A larger one is a year.
    let most = if prefix.is_some() { 9999 } else { 999 };
    let number = bare[..bare.len() - rest.len()].parse().ok();
    let number = number.filter(|number| (1..=most).contains(number));
    title.filter(|_| number.is_some()).map_or((None, name), |title| (number, title.trim_start()))
}
