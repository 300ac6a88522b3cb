//! Reads a Gherkin feature with the English keywords: tags, and the lines of scenarios, word for word. The steps of a
//! background become those of each scenario below it, the name of a rule one of the story's. Comments are not part of it;
//! the description of the feature is its story, or left out, which a note says.

use super::scenario::{Scenario, is_step};
use super::{MOST, Story, read};
use crate::notation::Misfit;
use crate::output::Result;
use crate::text::{indent, is_id, line, table};

/// What lines belong to, from the keyword above them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Part {
    /// The description of the feature, and what stands before the first keyword.
    #[default]
    Feature,
    Rule,
    Background,
    Scenario,
    Examples,
}

/// The keywords with a colon.
const KEYWORDS: [(&str, Part); 11] = [
    ("Feature", Part::Feature),
    ("Ability", Part::Feature),
    ("Business Need", Part::Feature),
    ("Background", Part::Background),
    ("Rule", Part::Rule),
    ("Scenario", Part::Scenario),
    ("Scenario Outline", Part::Scenario),
    ("Scenario Template", Part::Scenario),
    ("Example", Part::Scenario),
    ("Examples", Part::Examples),
    ("Scenarios", Part::Examples),
];

/// What a text gives: a feature, or criteria in another form.
#[derive(Debug, Default)]
pub struct Read {
    /// The story, with its rules and its statements.
    pub story: Story,
    /// The scenarios that are written as such.
    pub scenarios: Vec<Scenario>,
    /// What is left out, in sentences.
    pub notes: Vec<String>,
}

#[derive(Debug, Default)]
struct Reader {
    feature: Read,
    description: Vec<String>,
    left_out: Vec<String>,
    /// Tags that stand for themselves, until a keyword follows.
    tags: Vec<String>,
    /// The tags of the feature.
    inherited: Vec<String>,
    background: Vec<String>,
    /// Whether a rule has begun: a feature ends with its rules.
    is_in_rule: bool,
    part: Part,
    /// The indentation of the first line of a background or scenario, in bytes; its other lines are relative to it.
    margin: Option<usize>,
    /// Whether a step of the background or scenario, or a row of the examples, has been read.
    is_begun: bool,
    /// The number of cells in the first row of a table, as long as rows follow.
    cells: Option<usize>,
    /// The mark of a doc string that is not closed.
    open: Option<&'static str>,
}

/// The keyword that a line begins with, and the name behind it.
pub(super) fn keyword(text: &str) -> Option<(Part, &str)> {
    let (word, name) = text.split_once(':')?;
    KEYWORDS.iter().find(|(known, _)| *known == word).map(|(_, part)| (*part, name))
}

/// Reads a feature: the id of its story is a tag, its title the name, its sentence and data are in the description.
pub(crate) fn read(text: &str, field: &str) -> Result<Read> {
    let mut reader = Reader::default();
    for (at, raw) in text.lines().enumerate() {
        reader.line(raw).map_err(|why| {
            Misfit::new(at + 1, raw.trim(), why, "Given a basket with one book").fault(field)
        })?;
    }
    let Reader { mut feature, description, left_out: more, .. } = reader;
    // The story's sentence in the description.
    let mut story = Story::default();
    let is_read = read::text(&mut story, &description.join("\n"), field).is_ok();
    let mut left_out = description;
    if is_read && story.role.is_some() && story.want.is_some() {
        left_out = std::mem::take(&mut story.technical_notes);
        story.title.clear();
        feature.story.complete(story);
    }
    left_out.extend(more);
    if !left_out.is_empty() {
        let left_out = left_out.join(" / ");
        let note = format!("left out, as it is neither a step nor a scenario's name: {left_out}");
        feature.notes.push(note);
    }
    Ok(feature)
}

impl Reader {
    fn line(&mut self, raw: &str) -> Result<(), &'static str> {
        let text = raw.trim();
        if let Some(mark) = self.open {
            self.open = self.open.filter(|_| !text.starts_with(mark));
            self.keep(raw);
            return Ok(());
        }
        if let Some(comment) = text.strip_prefix('#') {
            let language = comment.trim_start().strip_prefix("language:").map(str::trim);
            if language.is_some_and(|language| language != "en") {
                return Err("is another language than English: write the keywords in English");
            }
            return Ok(());
        }
        if let Some(tags) = text.strip_prefix('@') {
            let tags = tags.split(" #").next().unwrap_or_default().split('@').map(str::trim);
            self.tags.extend(tags.filter(|tag| !tag.is_empty()).map(str::to_owned));
            return Ok(());
        }
        if let Some((part, name)) = keyword(text) {
            return self.begin(part, raw, line(name));
        }
        if text.is_empty() {
            return Ok(());
        }
        let is_row = table::is_row(text);
        let cells = is_row.then(|| table::cells(text).len());
        if cells.is_some() && self.cells.is_some_and(|first| Some(first) != cells) {
            return Err("has another number of cells than the first row of its table");
        }
        self.cells = cells;
        match self.part {
            Part::Feature | Part::Rule => self.description.push(text.to_owned()),
            Part::Examples if self.is_begun && !is_row => {
                return Err("is no row of the examples: write | a | b |");
            }
            Part::Examples => {
                self.is_begun = is_row;
                self.keep(raw);
            }
            Part::Background | Part::Scenario => {
                self.open = ["\"\"\"", "```"].into_iter().find(|mark| text.starts_with(mark));
                self.open = self.open.filter(|_| self.is_begun);
                if is_step(text) || self.is_begun && (is_row || self.open.is_some()) {
                    self.is_begun = true;
                    self.keep(raw);
                } else if self.is_begun {
                    return Err("is no step: begin it with Given, When, Then, And, But or *");
                } else {
                    self.left_out.push(text.to_owned());
                }
            }
        }
        Ok(())
    }

    /// Begins what a keyword begins.
    fn begin(&mut self, part: Part, raw: &str, name: String) -> Result<(), &'static str> {
        let tags = std::mem::take(&mut self.tags);
        match part {
            Part::Feature => {
                self.is_in_rule = false;
                self.inherited = tags;
                let id = self.inherited.iter().position(|tag| is_id(tag));
                let id = id.map(|at| self.inherited.remove(at));
                (self.feature.story.id, self.feature.story.title) = (id, name);
            }
            Part::Rule if !tags.is_empty() => {
                return Err("has tags, which are not read: put them above its scenarios");
            }
            Part::Rule => {
                self.is_in_rule = true;
                self.feature.story.rules.extend((!name.is_empty()).then_some(name));
            }
            Part::Background if self.is_in_rule => {
                return Err("is in a rule, which is not read: put its steps into the scenarios");
            }
            Part::Background => self.left_out.extend((!name.is_empty()).then_some(name)),
            Part::Scenario => self.scenario(name, tags)?,
            Part::Examples => {
                if !matches!(self.part, Part::Scenario | Part::Examples) {
                    return Err("has no scenario before it");
                }
                self.keep("");
                if !tags.is_empty() {
                    self.keep(&format!("{}@{}", &raw[..indent(raw)], tags.join(" @")));
                }
                self.keep(&raw.replacen("Scenarios:", "Examples:", 1));
            }
        }
        self.cells = None;
        self.margin = self.margin.filter(|_| part == Part::Examples);
        (self.part, self.is_begun) = (part, false);
        Ok(())
    }

    fn scenario(&mut self, name: String, mut tags: Vec<String>) -> Result<(), &'static str> {
        if self.feature.scenarios.len() == MOST {
            return Err("is over the limit of 1000 scenarios: split the feature");
        }
        let is_id = |tag: &String| tag.starts_with("AC-") || tag.starts_with("TC-");
        let id = tags.iter().position(is_id).map(|at| tags.remove(at)).unwrap_or_default();
        let inherited: Vec<String> =
            self.inherited.iter().filter(|tag| !tags.contains(tag)).cloned().collect();
        tags.extend(inherited);
        let steps = self.background.clone();
        self.feature.scenarios.push(Scenario { id, name, tags, steps });
        Ok(())
    }

    /// Adds a line to the background or the last scenario.
    fn keep(&mut self, raw: &str) {
        let margin = *self.margin.get_or_insert_with(|| indent(raw));
        let line = raw.get(margin.min(indent(raw))..).unwrap_or(raw);
        let line = if self.open.is_some() { line } else { line.trim_end() };
        let lines = match self.feature.scenarios.last_mut() {
            Some(last) if self.part != Part::Background => &mut last.steps,
            _ => &mut self.background,
        };
        lines.push(line.to_owned());
    }
}
