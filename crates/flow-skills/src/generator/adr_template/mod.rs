//! `adr-template`: writes a decision as the next record of an ADR folder, and links a superseded record back to it.

mod choice;
mod input;
mod options;
mod records;
mod verify;

use serde_json::{Value, json};

use super::skill::{Needs, Skill};
use crate::input::kind::Kind;
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::typed::InputType;
use crate::input::values::Line;
use crate::output::{Artifact, Output, Result, bad_text};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::text::prose::{block, prose};
use crate::text::{heading, line, sentences, slug, title};
use choice::Stated;
use input::Input;
use options::Choice;
use records::{Known, Records};

const NAME: &str = "adr-template";

/// The row of the table.
pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        input: InputType::of::<Input>(),
        takes: &[
            takes(ContentKind::Text, "topic"),
            takes(ContentKind::Adr, "topic"),
            takes(ContentKind::Markdown, "topic"),
        ],
        instead: &[],
        accepts: &[],
    },
    needs: Needs::Input,
    gives: Kind::Decision,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, _| verify::verify(text)),
};

/// Generates a record.
fn generate(input: &Input, context: &Context) -> Result<Output> {
    let topic = Topic::read(&input.topic);
    let folder = Records::open(input.folder.as_deref(), context)?;
    let known = folder.list()?;
    let Slot { number, file, same } = Slot::of(&topic.title, &known);
    let today = || context.today().to_owned();
    let written = || same.and_then(|record| folder.date(&record.file));
    let day = input.day().or_else(written).unwrap_or_else(today);
    let options = options::all(input)?;
    let decision = Decision::read(input, &options)?;
    let superseded = records::superseded(input, &known, &file)?;
    let background = topic.context(input);
    let new = records::NewRecord { file: &file, number, name: &topic.title };
    let linked = superseded.map(|old| records::link_back(&folder, old, &new)).transpose()?;
    let (old_title, changed) = linked.unzip();
    let link = superseded
        .zip(old_title)
        .map(|(old, title)| json!({"file": old.file, "title": prose(&title)}));
    let mut artifacts: Vec<Artifact> = changed.into_iter().collect();
    let status = input.status.as_ref().map_or("proposed", |status| status.word());
    let open = questions(input, background.as_deref(), &decision, &options);
    let page = Page {
        number,
        title: &topic.title,
        day: &day,
        supersedes: link,
        background: background.as_deref(),
        options: &options,
        decision: &decision,
        open: &open,
    };
    let text = page.render(input)?;
    artifacts.insert(0, Artifact::new(file.as_str(), "markdown", text));
    let kept =
        same.map(|own| format!("{} is this decision already, so it keeps its number.", own.file));
    Ok(Output {
        data: json!({
            "number": number, "title": topic.title, "date": day, "status": status, "file": file,
            "context": background, "chosen": decision.chosen, "reason": decision.reason, "decision": decision.text,
            "consequences": input.consequences, "supersedes": superseded.map(|old| &old.file), "options": options,
        }),
        artifacts,
        open,
        notes: kept.into_iter().collect(),
    })
}

/// The content of a record's Markdown besides the input.
struct Page<'a> {
    number: u32,
    title: &'a str,
    day: &'a str,
    supersedes: Option<Value>,
    background: Option<&'a str>,
    options: &'a [Choice],
    decision: &'a Decision,
    open: &'a [String],
}

impl Page<'_> {
    fn render(&self, input: &Input) -> Result<String> {
        let items = |all: &[Line]| all.iter().map(|text| prose(text)).collect::<Vec<_>>();
        let status = input.status.as_ref();
        let status = status.map_or_else(|| "Proposed".to_owned(), |own| prose(&title(own.text())));
        let decision = self.decision;
        let view = json!({
            "number": self.number, "title": prose(self.title), "date": self.day,
            "supersedes": self.supersedes, "status": status, "people": input.people(),
            "context": self.background.map(block), "drivers": items(&input.drivers),
            "options": self.options.iter().map(Choice::shown).collect::<Vec<_>>(),
            "has_arguments": self.options.iter().any(Choice::has_arguments),
            "chosen": decision.chosen.as_deref().map(prose), "reason": decision.reason.as_deref().map(prose),
            "decision": decision.text.as_deref().map(block), "consequences": items(&input.consequences),
            "confirmation": input.confirmation.as_deref().map(block), "more": input.more.as_deref().map(block),
            "open": self.open.iter().map(|question| prose(question)).collect::<Vec<_>>(),
        });
        engine::render_page(NAME, "assets/template.md.tera", &view)
    }
}

/// The number and the file of a record: those of the existing record of the decision, else the next ones.
struct Slot<'a> {
    number: u32,
    file: String,
    same: Option<&'a Known>,
}

impl<'a> Slot<'a> {
    fn of(title: &str, known: &'a [Known]) -> Self {
        let stem = slug(title, "decision");
        let same = known.iter().find(|record| record.file.get(5..) == Some(&format!("{stem}.md")));
        let highest = known.iter().map(|record| record.number).max().unwrap_or(0);
        let number = same.map_or(highest + 1, |record| record.number);
        Self { number, file: format!("{number:04}-{stem}.md"), same }
    }
}

/// The subject of the decision: the title, and the rest of the topic.
struct Topic {
    title: String,
    more: String,
}

impl Topic {
    /// The title is a heading or the first sentence. A number before it (`# 7. `, `ADR-0007: `) belongs to the old
    /// record.
    fn read(topic: &str) -> Self {
        let (first, rest) = topic.trim().split_once('\n').unwrap_or((topic.trim(), ""));
        let named = heading(first).map(|(_, name)| name);
        let bare = unnumbered(named.unwrap_or(first));
        let mut all = sentences(&line(bare)).into_iter();
        let sentence = if named.is_some() { line(bare) } else { all.next().unwrap_or_default() };
        let name = title(&sentence);
        let mut more: Vec<String> = Vec::new();
        // A truncated title does not contain the whole sentence.
        let is_cut = name.ends_with('…') && !sentence.ends_with('…');
        more.extend(is_cut.then(|| sentence.clone()));
        if named.is_none() {
            more.extend(all);
        }
        let first = more.join(" ");
        let more = [first.as_str(), rest.trim_matches('\n')]
            .into_iter()
            .filter(|text| !text.trim().is_empty());
        Self { title: name, more: more.collect::<Vec<_>>().join("\n\n") }
    }

    /// Why a decision is needed: the field, and the rest of the topic.
    fn context(&self, input: &Input) -> Option<String> {
        let parts = [self.more.as_str(), input.context.as_deref().unwrap_or_default()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }
}

/// A title without the number of its record.
fn unnumbered(name: &str) -> &str {
    let bare = ["ADR-", "ADR ", "adr-"]
        .into_iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name);
    let rest = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < bare.len();
    let after = [". ", ": ", " - ", " – "].into_iter().find_map(|end| rest.strip_prefix(end));
    after.filter(|_| is_numbered).map_or(name, str::trim_start)
}

/// The decision itself.
struct Decision {
    chosen: Option<String>,
    reason: Option<String>,
    /// Text of the decision besides the chosen option.
    text: Option<String>,
}

impl Decision {
    /// The chosen option in the spelling of the options, and the reason; `Chosen option: "A", because …` is MADR's
    /// form.
    fn read(input: &Input, options: &[Choice]) -> Result<Self> {
        let stated = input.chosen.as_deref().map(|text| Stated::read(text, options));
        let because = stated.as_ref().and_then(|stated| stated.because);
        let reason = input.reason.as_deref().or(because).map(str::to_owned);
        let text = input.decision.as_ref().map(ToString::to_string);
        let chosen = match stated {
            Some(stated) if !options.is_empty() => {
                let names = || options.iter().map(|option| option.name.as_str());
                let wanted = || format!("one of {}", names().collect::<Vec<_>>().join(", "));
                let option =
                    stated.option.ok_or_else(|| bad_text("chosen", stated.name, &wanted()))?;
                Some(option.name.clone())
            }
            stated => stated.map(|stated| stated.name.to_owned()),
        };
        Ok(Self { chosen, reason, text })
    }
}

/// What the record lacks, worded as what to add.
fn questions(
    input: &Input,
    context: Option<&str>,
    decision: &Decision,
    options: &[Choice],
) -> Vec<String> {
    let is_made = decision.chosen.is_some() || decision.text.is_some();
    let missing = [
        (context.is_none(), "context: not given (add context=TEXT, why a decision is needed)"),
        (options.len() < 2, "options: fewer than two given (add options=A,B)"),
        (!is_made, "decision: not given (add chosen=OPTION, or decision=TEXT)"),
        (
            decision.chosen.is_some() && decision.reason.is_none(),
            "reason: not given (add reason=TEXT)",
        ),
        (input.consequences.is_empty(), "consequences: not given (add consequences=A;B)"),
    ];
    let mut open: Vec<String> = missing
        .into_iter()
        .filter(|(is_missing, _)| *is_missing)
        .map(|(_, text)| text.to_owned())
        .collect();
    let bare: Vec<&str> = options
        .iter()
        .filter(|option| !option.has_arguments())
        .map(|option| option.name.as_str())
        .collect();
    if !bare.is_empty() {
        open.push(format!(
            "pros and cons: not given for {} (add them under options)",
            bare.join(", ")
        ));
    }
    open
}
