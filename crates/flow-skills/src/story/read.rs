//! Reads a story from text: labels, a story's sentence, facts such as `(5) after US-0002`, and the remaining text, word
//! for word. Where a text stands decides
//! what it is, never its words: what follows the sentence on its line, and items without a heading, are rules; steps are
//! criteria; everything else is a note.

use schemars::JsonSchema;
use serde::Deserialize;

use super::fields::{StoryFields, add};
use super::scenario::{Scenario, Step, unlabelled};
use super::scenario::{is_step, join, joins};
use super::scenario::{numbered, titled};
use super::{Story, data, sentence};
use crate::input::effort::Effort;
use crate::input::notation::facts::Facts;
use crate::input::notation::{Misfit, facts};
use crate::input::values::Block;
use crate::input::{labels, typed};
use crate::output::Result;
use crate::page::outside_fences;
use crate::text::{after, front_matter, heading, headline, is_id, item, line, sentences, title};

/// Largest number of positions of a text at which the story's sentence is searched.
const MOST_STARTS: usize = 20;

/// The text of a story: the fields that its labels set, and the text without a label.
#[derive(Debug, Deserialize, JsonSchema)]
struct Document {
    #[serde(flatten)]
    fields: StoryFields,
    /// The text without a label.
    #[schemars(extend("x-labels" = ["Story", "User story", "Description", "Summary"]))]
    text: Option<Block>,
}

/// Reads a text into a story: Markdown, labels, or plain text. Existing fields are kept, lists are extended.
///
/// # Errors
/// When the text of a label does not fit, or a sentence begins like a story's and does not continue like one. `field`
/// is the field of the text.
pub fn text(story: &mut Story, text: &str, field: &str) -> Result<()> {
    let schema = typed::schema_of::<Document>();
    let labelled = if is_document(text) {
        labels::read_document(text, &schema)?
    } else {
        labels::read(text, &schema)?
    };
    let document = typed::read(&labelled.fields).map_err(|fault| labelled.located(fault))?;
    let Document { fields, text } = document;
    // A title that is known already leaves all of the text to the other parts.
    let mut read = Story { title: story.title.clone(), ..Story::default() };
    fields.apply(&mut read);
    let described = text.map(Block::into_inner).unwrap_or_default();
    for text in [described, labelled.rest] {
        free(&mut read, &text).map_err(|misfit| misfit.fault(field))?;
    }
    complete(story, read);
    Ok(())
}

/// Whether a text is Markdown, whose escapes are removed.
pub fn is_document(text: &str) -> bool {
    front_matter(text).is_some()
        || outside_fences(text).any(|(_, line)| {
            heading(line.trim()).is_some() || line.contains("**I want") || line.contains("**As a")
        })
}

/// Fills missing fields of a story from another.
pub fn complete(story: &mut Story, other: Story) {
    if story.title.is_empty() {
        story.title = other.title;
    }
    story.id = story.id.take().or(other.id);
    story.role = story.role.take().or(other.role);
    story.want = story.want.take().or(other.want);
    story.benefit = story.benefit.take().or(other.benefit);
    story.points = story.points.or(other.points);
    story.estimate = story.estimate.take().or(other.estimate);
    story.status = story.status.take().or(other.status);
    story.epic = story.epic.take().or(other.epic);
    story.owner = story.owner.take().or(other.owner);
    story.priority = story.priority.take().or(other.priority);
    for (list, more) in [
        (&mut story.rules, other.rules),
        (&mut story.criteria, other.criteria),
        (&mut story.dependencies, other.dependencies),
        (&mut story.technical_notes, other.technical_notes),
        (&mut story.data, other.data),
    ] {
        add(list, more.into_iter());
    }
}

/// Uses the want, or the first criterion or rule, as a missing title.
pub fn entitle(story: &mut Story) {
    if !story.title.is_empty() {
        return;
    }
    let stated = || story.criteria.first().or(story.rules.first());
    story.title = match &story.want {
        Some(want) => title(want.strip_prefix("to ").unwrap_or(want)),
        None => {
            stated().map_or_else(String::new, |text| Scenario::stated(String::new(), text).name)
        }
    };
}

/// Text without a label: the part before the story's sentence is its title, the rest of its line rules.
fn free(story: &mut Story, text: &str) -> Result<(), Misfit> {
    let text = data::without_tables(text, &mut story.data);
    if story.want.is_some() {
        begin(story, &text);
        return Ok(());
    }
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let starts = starts.filter_map(|at| Some((at, text.get(at..)?)));
    let stated = starts
        .filter(|(_, rest)| after(rest.trim_start().trim_start_matches("**"), &["As "]).is_some())
        .take(MOST_STARTS)
        .find_map(|(at, rest)| sentence::split(rest).map(|(read, rest)| (at, read, rest)));
    let Some((at, stated, rest)) = stated else {
        if after(text.trim_start(), &["As a ", "As an "]).is_some() {
            let part = title(&text);
            return Err(Misfit::new(1, &part, "is not a story sentence", sentence::EXAMPLE));
        }
        begin(story, &text);
        return Ok(());
    };
    begin(story, text.get(..at).unwrap_or_default());
    let (want, benefit) = match stated.benefit {
        Some(benefit) => (stated.want, Some(with_facts(story, &benefit))),
        None => (with_facts(story, &stated.want), None),
    };
    (story.role, story.want) = (story.role.take().or(Some(stated.role)), Some(want));
    story.benefit = story.benefit.take().or(benefit);
    let (first, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let rules = sentences(&line(first)).into_iter();
    let rules = rules.map(|text| Part { section: None, text, is_item: true });
    state(story, rules.chain(parts(rest)).collect());
    Ok(())
}

/// A paragraph or an item of a text, and the heading of its section, which no field has.
#[derive(Debug)]
struct Part {
    section: Option<String>,
    text: String,
    is_item: bool,
}

/// The paragraphs and items of a text; steps on lines of their own are one part.
fn parts(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut section: Option<String> = None;
    let mut before = None;
    for raw in text.lines() {
        let bare = raw.trim();
        if let Some(name) = section_name(bare) {
            section = Some(line(name));
            before = None;
            continue;
        }
        let item = item(raw);
        let text = unmarked(&line(item.unwrap_or(raw)));
        let continues = before.is_some_and(|before| is_wrapped(before, &text))
            && item.is_none()
            && !is_step(&text)
            && !is_labelled(&text);
        match parts.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if joins(&last.text, &text) => join(&mut last.text, &text),
            Some(last) if continues && !is_complete(&last.text, &text) => {
                last.text.push(' ');
                last.text.push_str(&text);
            }
            _ => parts.push(Part { section: section.clone(), text, is_item: item.is_some() }),
        }
        before = Some(bare).filter(|bare| !bare.is_empty());
    }
    parts
}

/// Whether a text is a whole scenario, behind which a line with a capital begins something else.
fn is_complete(before: &str, text: &str) -> bool {
    // Longer ones are no scenario of one sentence, and would be read again for each line.
    const LONGEST: usize = 1_000;
    text.starts_with(char::is_uppercase) && before.len() <= LONGEST && is_scenario(before)
}

/// Length from which a line is taken for one of a wrapped paragraph, in characters.
const WRAPPED: usize = 60;

/// Whether a text goes on with what the line before it began.
fn is_wrapped(before: &str, text: &str) -> bool {
    text.starts_with(char::is_lowercase) || before.chars().count() >= WRAPPED
}

/// A step without marks around its word: `**Given** a user`.
fn unmarked(text: &str) -> String {
    let split = text.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    split
        .filter(|(word, _)| is_step(word))
        .map_or_else(|| text.to_owned(), |(word, rest)| format!("{word}{rest}"))
}

/// The text of a heading, or of a line of strong text.
fn section_name(bare: &str) -> Option<&str> {
    let strong = || bare.strip_prefix("**")?.strip_suffix("**");
    let name = heading(bare).map(|(_, name)| name);
    let name = name.or_else(|| strong().filter(|name| !name.contains("**")));
    name.filter(|name| !name.trim().is_empty())
}

/// Whether a line begins with a label that no field has: `Labels: auth, sso`.
fn is_labelled(text: &str) -> bool {
    text.split_once(": ").is_some_and(|(name, _)| {
        name.starts_with(char::is_uppercase)
            && name.chars().all(|c| c.is_alphabetic() || c == ' ')
            && name.split(' ').count() <= 3
    })
}

/// Uses a heading at the beginning, or else the first sentence, as the title. Steps are no title.
fn begin(story: &mut Story, text: &str) {
    let text = text.trim_start();
    let is_titled = !story.title.is_empty() || story.want.is_some();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if let Some(name) = section_name(first.trim()).filter(|_| !is_titled) {
        titled(story, name);
        return state(story, parts(rest));
    }
    let mut parts = parts(text);
    let is_list = parts.len() > 1 && parts.iter().all(|part| part.is_item);
    let first = parts.first_mut();
    let first = first.filter(|first| !is_titled && !is_list && !is_scenario(&first.text));
    if let Some(first) = first.filter(|first| first.section.is_none()) {
        let (name, more) = headline(&sentences(&first.text));
        (first.text, first.is_item) = (more, false);
        let name = with_facts(story, &name);
        titled(story, &name);
    }
    state(story, parts);
}

fn is_scenario(text: &str) -> bool {
    Step::all(unlabelled(text)).is_some()
}

/// How a sentence begins that says what is not part of the story: it is no rule.
const EXCLUDED: [&str; 3] = ["Not in scope", "Out of scope", "Non-goal"];

/// Sorts parts into criteria, rules and notes; facts and labels set their fields. The notes of a section are one note.
fn state(story: &mut Story, parts: Vec<Part>) {
    let mut notes: Vec<Part> = Vec::new();
    for Part { section, text, is_item } in parts {
        let text = with_facts(story, &text);
        let is_own = |last: &&mut Part| section.is_some() && last.section == section;
        if text.is_empty() {
            continue;
        }
        if let Some(fields) = labelled(&text) {
            fields.apply(story);
        } else if is_scenario(&text) {
            add(&mut story.criteria, std::iter::once(text));
        } else if is_item && section.is_none() && after(&text, &EXCLUDED).is_none() {
            add(&mut story.rules, std::iter::once(numbered(&text).to_owned()));
        } else if let Some(last) = notes.last_mut().filter(is_own) {
            last.text.push_str(if last.text.ends_with(['.', '!', '?']) { " " } else { "; " });
            last.text.push_str(&text);
        } else {
            notes.push(Part { section, text, is_item });
        }
    }
    let shown = |Part { section, text, .. }| match section {
        Some(name) => format!("{}: {text}", name.trim_end_matches([':', '.', ' '])),
        None => text,
    };
    add(&mut story.technical_notes, notes.into_iter().map(shown));
}

/// The fields of a sentence that is a label with its text: `Points: 3`.
fn labelled(text: &str) -> Option<StoryFields> {
    let (name, _) = text.split_once(": ")?;
    let schema = typed::schema_of::<StoryFields>();
    typed::property(&schema, name)?;
    let read = labels::read(text.trim_end_matches('.'), &schema).ok()?;
    let is_whole = read.rest.is_empty() && !read.fields.is_empty();
    typed::read(&read.fields).ok().filter(|_| is_whole)
}

/// Fields that a text may name behind its facts, without a colon: `Lock a kiosk, 3 pts, owner tom`.
const NAMED: [&str; 3] = ["owner", "priority", "status"];

/// A text without the fields of one word at its end, and these fields; `P1` alone is a priority.
fn named(text: &str) -> (&str, Vec<StoryFields>) {
    let (mut rest, mut all) = (text, Vec::new());
    while let Some((before, last)) = rest.rsplit_once([',', ';'])
        && let last = last.trim().trim_end_matches('.')
        && let Some((name, value)) =
            last.split_once(' ').or_else(|| is_priority(last).then_some(("priority", last)))
        && NAMED.contains(&name.to_lowercase().as_str())
        && !value.contains(' ')
        && let Some(fields) = labelled(&format!("{name}: {value}"))
    {
        all.push(fields);
        rest = before;
    }
    (rest, all)
}

/// Whether a word is a priority as trackers number them: `P0` to `P9`.
fn is_priority(word: &str) -> bool {
    matches!(word.as_bytes(), [b'P', b'0'..=b'9'])
}

/// A text without the facts at its end, which set their fields.
fn with_facts(story: &mut Story, text: &str) -> String {
    // Words such as `owner details` are a field only beside facts: alone they may be a part of a sentence.
    let (before, fields) = named(text);
    let has_facts = facts::read(before).1 != Facts::default();
    let (rest, facts) = facts::read(if has_facts { before } else { text });
    if !facts.after.iter().all(|id| is_id(id)) {
        return text.to_owned();
    }
    for fields in fields.into_iter().filter(|_| has_facts) {
        fields.apply(story);
    }
    let points = facts.size.and_then(Effort::whole_points);
    story.points = story.points.or(points);
    let time = facts.size.filter(|_| points.is_none()).map(|size| size.to_string());
    story.estimate = story.estimate.take().or(time);
    add(&mut story.dependencies, facts.after.into_iter());
    rest
}
