//! `adr-template`: writes a decision as the next record of an ADR folder, and links a superseded record back to it.

mod choice;
mod comparison;
mod input;
mod options;
mod records;
mod sections;
mod verify;
mod y_statement;

use serde_json::{Value, json};

use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::coerce::{self, Keep};
use crate::output::{Artifact, Fault, Output, Result, bad_text};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::text::block::{below, block};
use crate::text::prose::prose;
use crate::text::{capital, heading, headline, line, sentences, slug};
use choice::{Stated, unlinked};
use input::{Day, Input};
use options::{Choice, Options};
use records::{Known, Records};
use sections::Sections;

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
    run: |given, context| generate(&y_statement::applied(given.read()?), context),
    verify: Some(|text, _| verify::verify(text)),
};

/// The level of the headings of a record's sections.
const SECTION: usize = 2;

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let topic = Topic::read(&input.topic);
    let folder = Records::open(input.folder.as_deref(), context)?;
    let known = folder.list()?;
    let Slot { number, file, same } = Slot::of(&topic, &known);
    let today = || context.today().to_owned();
    let written = || same.and_then(|record| folder.date(&record.file));
    let day = input.date.as_ref().map(Day::shown).or_else(written).unwrap_or_else(today);
    let options = Options::read(input)?;
    let decision = Decision::read(input, &options)?;
    let superseded = records::superseded(input, &known, &file)?;
    let sections = Sections::of(&topic.context(input));
    let new = records::NewRecord { file: &file, number, name: &topic.title };
    let linked = superseded.map(|old| records::link_back(&folder, old, &new)).transpose()?;
    let (old_title, changed) = linked.unzip();
    let old_file = superseded.map(|old| old.file.as_str());
    let open = questions(input, sections.text.as_deref(), &decision, &options);
    let mut view = view(input, &sections, &options, &decision)?;
    view["number"] = number.into();
    view["title"] = prose(&topic.title).into();
    view["date"] = prose(&day).into();
    let link = |(file, title): (&str, String)| json!({"file": file, "title": prose(&title)});
    view["supersedes"] = old_file.zip(old_title).map(link).into();
    view["below_status"] = input.status.as_ref().map(|own| block(&own.below(old_file))).into();
    view["open"] = open.iter().map(|question| prose(question)).collect();
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let mut artifacts = vec![Artifact::new(file.as_str(), "markdown", text)];
    artifacts.extend(changed);
    let status = input.status.as_ref().map_or("proposed", |status| status.word());
    let kept =
        same.map(|own| format!("{} is this decision already, so it keeps its number.", own.file));
    Ok(Output {
        data: json!({
            "number": number, "title": topic.title, "date": day, "status": status, "file": file,
            "context": sections.text, "chosen": decision.chosen, "reason": decision.reason, "decision": decision.text,
            "consequences": input.all_consequences(), "supersedes": old_file, "options": options.all,
        }),
        artifacts,
        open,
        notes: kept.into_iter().collect(),
    })
}

/// What the template has of the input, besides the record's own number and links.
fn view(input: &Input, found: &Sections, options: &Options, decision: &Decision) -> Result<Value> {
    let items = |all: &[String]| -> Vec<String> {
        let all = all.iter().flat_map(|text| coerce::bullets(&format!("- {text}"), Keep::Nested));
        let item = |text: String| {
            let end = if text.ends_with("```") { "\n" } else { "" };
            block(&format!("- {text}")) + end
        };
        all.map(item).collect()
    };
    let section = |text: &str| below(SECTION, text);
    let drivers: Vec<String> = input.drivers.iter().map(ToString::to_string).collect();
    let status = input.status.as_ref().map_or("Proposed", |own| own.text());
    Ok(json!({
        "front": front(input)?, "status": prose(&capital(status)), "people": input.people(),
        "context": found.text.as_deref().map(section), "drivers": items(&drivers),
        "about_options": block(&options.about),
        "options": options.all.iter().map(Choice::shown).collect::<Vec<_>>(),
        "are_listed": options.are_listed(),
        "chosen": decision.chosen.as_deref().map(prose), "reason": decision.reason.as_deref().map(prose),
        "decision": decision.text.as_deref().map(section), "consequences": items(&input.all_consequences()),
        "confirmation": input.confirmation.as_deref().map(section), "more": input.more.as_deref().map(section),
        "others": found.others.as_deref().map(|text| below(1, text)),
    }))
}

/// The front matter; a rule in it would end it.
fn front(input: &Input) -> Result<Option<&str>> {
    let Some(front) = input.front.as_deref() else { return Ok(None) };
    match front.lines().find(|line| line.trim() == "---") {
        Some(rule) => Err(bad_text("front", rule, "YAML without a line of `---`")),
        None => Ok(Some(front)),
    }
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

    /// Why a decision is needed: the field, and the rest of the topic.
    fn context(&self, input: &Input) -> String {
        joined(&[&self.more, input.context.as_deref().unwrap_or_default()])
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

struct Decision {
    chosen: Option<String>,
    reason: Option<String>,
    /// Text of the decision besides the chosen option.
    text: Option<String>,
    /// That the record's own words name none of its options, which are kept as they are.
    misnamed: Option<Fault>,
}

impl Decision {
    /// The chosen option in the spelling of the options, and the reason; `Chosen option: "A", because …` is MADR's
    /// form.
    fn read(input: &Input, options: &Options) -> Result<Self> {
        // A decision that is the name of an option chooses that.
        let read = |text| Stated::read(text, &options.all);
        let whole = input.decision.as_deref().filter(|_| input.chosen.is_none());
        let whole = whole.map(read).filter(Stated::is_whole);
        let is_choice = whole.is_some();
        let stated = input.chosen.as_deref().map(read).or(whole);
        let because = stated.as_ref().and_then(|stated| stated.because);
        let chosen = stated.map(|stated| {
            stated.option.map_or(stated.name, |option| unlinked(&option.name)).to_owned()
        });
        let mut made = Self {
            chosen,
            reason: input.reason.as_deref().or(because).map(str::to_owned),
            text: input.decision.as_ref().filter(|_| !is_choice).map(ToString::to_string),
            misnamed: None,
        };
        let ends_open = |text: &str| text.trim_end().to_lowercase().ends_with("because");
        if made.reason.is_none() && input.chosen.as_deref().is_some_and(ends_open) {
            let text = made.text.take().unwrap_or_default();
            let (first, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
            let reasons = coerce::bullets(first, Keep::Nothing).join("; ");
            made.reason = Some(line(&reasons)).filter(|reason| !reason.is_empty());
            made.text = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
        }
        if let Some(stated) = stated.filter(|stated| stated.option.is_none())
            && !options.all.is_empty()
        {
            let wanted = format!("one of {}", options.names(|_| true));
            made.misnamed = Some(bad_text("chosen", stated.name, &wanted));
        }
        match made.misnamed {
            Some(fault) if input.options.is_some() => Err(fault),
            _ => Ok(made),
        }
    }
}

/// What the record lacks, worded as what to add.
fn questions(
    input: &Input,
    context: Option<&str>,
    decision: &Decision,
    options: &Options,
) -> Vec<String> {
    let mut open = Vec::new();
    if let Some(Day::Open(day)) = &input.date {
        open.push(format!("date: {day} is not one day (add date=2026-01-31)"));
    }
    if decision.misnamed.is_some() {
        let names = options.names(|_| true);
        open.push(format!("chosen: none of the options is named (add chosen=OPTION, of {names})"));
    }
    let Decision { chosen, reason, text, .. } = decision;
    // Nygard's form states a decision in words and lists no options.
    let is_few = options.all.len() < 2 && !(options.all.is_empty() && text.is_some());
    let is_bare = chosen.is_some() && reason.is_none() && text.is_none();
    let missing = [
        (context.is_none(), "context: not given (add context=TEXT, why a decision is needed)"),
        (is_few, "options: fewer than two given (add options=A,B)"),
        (
            chosen.is_none() && text.is_none(),
            "decision: not given (add chosen=OPTION, or decision=TEXT)",
        ),
        (is_bare, "reason: not given (add reason=TEXT)"),
        (input.all_consequences().is_empty(), "consequences: not given (add consequences=A;B)"),
    ];
    let missing = missing.into_iter().filter(|(is_missing, _)| *is_missing);
    open.extend(missing.map(|(_, text)| text.to_owned()));
    // Only where the record has arguments: the form without them is as good.
    let bare = options.names(|option| !option.has_arguments());
    if !bare.is_empty() && options.all.iter().any(Choice::has_arguments) {
        open.push(format!("pros and cons: not given for {bare} (add them under options)"));
    }
    open
}
