//! Reads a story from text: labels, a story's sentence, facts such as `(5) after US-0002`, and the remaining text, word
//! for word. Where a text stands decides what it is: what follows the sentence on its line, and items without a heading,
//! are rules; steps are criteria; everything else is a note.

use schemars::JsonSchema;
use serde::Deserialize;

use super::fields::StoryFields;
use super::scenario::{is_stated, join, joins};
use super::sentence::{self, StorySentence};
use super::{Story, add, facts, without_number};
use crate::input::forms::is_document;
use crate::input::values::Block;
use crate::input::{labels, typed};
use crate::notation::Misfit;
use crate::output::Result;
use crate::text::{after, heading, headline, is_id, item, line, sentences, title};

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
    let labelled = labels::read(text, &schema, is_document(text))?;
    let document = typed::read(&labelled.fields).map_err(|fault| labelled.located(fault))?;
    let Document { fields, text } = document;
    // A title that is known already leaves all of the text to the other parts.
    let mut read = Story { title: story.title.clone(), ..Story::default() };
    fields.apply(&mut read);
    let described = text.map(Block::into_inner).unwrap_or_default();
    for text in [described, labelled.rest] {
        unlabelled(&mut read, &text, field)?;
    }
    story.complete(read);
    Ok(())
}

/// Reads text without labels into a story: the part before the story's sentence is its title, the rest of its line rules.
///
/// # Errors
/// When a sentence begins like a story's and does not continue like one. `field` is the field of the text.
pub(crate) fn unlabelled(story: &mut Story, text: &str, field: &str) -> Result<()> {
    let stated = sentence_in(text).filter(|_| story.want.is_none());
    let Some((at, stated, rest)) = stated else {
        if story.want.is_none() && after(text.trim_start(), &["As a ", "As an "]).is_some() {
            let part = title(text);
            let misfit = Misfit::new(1, &part, "is not a story sentence", sentence::EXAMPLE);
            return Err(misfit.fault(field));
        }
        begin(story, text);
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
    state(story, rules.chain(parts(rest)));
    Ok(())
}

/// The first story's sentence that begins a line: where it begins, its parts, and the text right after it.
pub(super) fn sentence_in(text: &str) -> Option<(usize, StorySentence, &str)> {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let starts = starts.filter_map(|at| Some((at, text.get(at..)?)));
    starts
        .filter(|(_, rest)| after(rest.trim_start().trim_start_matches("**"), &["As "]).is_some())
        .take(MOST_STARTS)
        .find_map(|(at, rest)| sentence::split(rest).map(|(stated, rest)| (at, stated, rest)))
}

/// A paragraph or an item of a text, and the heading of its section, which no field has.
#[derive(Debug)]
struct Part {
    section: Option<String>,
    text: String,
    is_item: bool,
}

/// The lines and items of a text; steps on lines of their own, and a line that begins small below another, are one part.
fn parts(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut section: Option<String> = None;
    let mut is_open = false;
    for raw in text.lines() {
        if let Some(name) = section_name(raw.trim()) {
            section = Some(line(name));
            is_open = false;
            continue;
        }
        let item = item(raw);
        let text = line(item.unwrap_or(raw));
        let continues = is_open && item.is_none() && text.starts_with(char::is_lowercase);
        is_open = !text.is_empty();
        match parts.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if joins(&last.text, &text) => join(&mut last.text, &text),
            Some(last) if continues => {
                last.text.push(' ');
                last.text.push_str(&text);
            }
            _ => parts.push(Part { section: section.clone(), text, is_item: item.is_some() }),
        }
    }
    parts
}

/// The text of a heading, or of a line of strong text.
fn section_name(bare: &str) -> Option<&str> {
    let strong = || bare.strip_prefix("**")?.strip_suffix("**");
    let name = heading(bare).map(|(_, name)| name);
    let name = name.or_else(|| strong().filter(|name| !name.contains("**")));
    name.filter(|name| !name.trim().is_empty())
}

/// Uses a heading at the beginning, or else the first sentence, as the title. Steps are no title.
fn begin(story: &mut Story, text: &str) {
    let text = text.trim_start();
    let is_titled = !story.title.is_empty() || story.want.is_some();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if let Some(name) = section_name(first.trim()).filter(|_| !is_titled) {
        story.set_title(name);
        return state(story, parts(rest));
    }
    let mut parts = parts(text);
    let is_list = parts.len() > 1 && parts.iter().all(|part| part.is_item);
    let is_title = |part: &&mut Part| {
        !is_titled && !is_list && part.section.is_none() && !is_stated(&part.text)
    };
    if let Some(first) = parts.first_mut().filter(is_title) {
        let (name, more) = headline(&sentences(&first.text));
        (first.text, first.is_item) = (more, false);
        let name = with_facts(story, &name);
        story.set_title(&name);
    }
    state(story, parts);
}

/// How a sentence begins that says what is not part of the story: it is no rule.
const EXCLUDED: [&str; 3] = ["Not in scope", "Out of scope", "Non-goal"];

/// Sorts parts into criteria, rules and notes; facts set their fields. A note has the heading that it is under.
fn state(story: &mut Story, parts: impl IntoIterator<Item = Part>) {
    let (mut criteria, mut rules, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for Part { section, mut text, is_item } in parts {
        // What an item says of its size or order is not said of the story.
        if !is_item {
            text = with_facts(story, &text);
        }
        let is_rule = is_item && section.is_none() && after(&text, &EXCLUDED).is_none();
        match section {
            _ if text.is_empty() => {}
            _ if is_stated(&text) => criteria.push(text),
            _ if is_rule => rules.push(without_number(&text).to_owned()),
            Some(name) => notes.push(format!("{}: {text}", name.trim_end_matches([':', '.', ' ']))),
            None => notes.push(text),
        }
    }
    add(&mut story.criteria, criteria);
    add(&mut story.rules, rules);
    add(&mut story.technical_notes, notes);
}

/// A text without the size and the order at its end, which set their fields. It stays whole if its size is a second one.
fn with_facts(story: &mut Story, text: &str) -> String {
    let (rest, facts) = facts::read(text);
    let has_size = story.points.is_some() || story.estimate.is_some();
    if !facts.after.iter().all(|id| is_id(id)) || facts.size.is_some() && has_size {
        return text.to_owned();
    }
    if let Some(size) = facts.size {
        story.points = size.whole_points();
        story.estimate = story.points.is_none().then(|| size.to_string());
    }
    add(&mut story.dependencies, facts.after);
    rest
}
