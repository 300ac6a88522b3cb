//! Reads a Gherkin feature: tags, backgrounds, steps with data tables and doc strings, and outlines with examples, with
//! the English keywords. The steps of a background become those of each scenario below it. Comments are not part of it;
//! other text is left out, which a note says.

use super::feature::tagged;
use super::scenario::{Keyword, Scenario, Step};
use super::{Story, limits, read};
use crate::input::notation::Misfit;
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

/// A feature.
#[derive(Debug, Default)]
pub struct Feature {
    /// The story: its id is a tag, its title the name, its sentence and data are in the description.
    pub story: Story,
    /// The scenarios.
    pub scenarios: Vec<Scenario>,
    /// What is left out, in a sentence.
    pub note: Option<String>,
}

#[derive(Debug, Default)]
struct Reader {
    feature: Feature,
    description: Vec<String>,
    left_out: Vec<String>,
    /// Tags that stand for themselves, until a keyword follows.
    tags: Vec<String>,
    /// The tags of the feature.
    inherited: Vec<String>,
    background: Vec<Step>,
    part: Part,
    /// Whether a step of the scenario or background has been read.
    is_begun: bool,
    keyword: Keyword,
    /// The mark of a doc string that is not closed, and the bytes of its indentation, which its lines have too.
    open: Option<(&'static str, usize)>,
}

/// The keyword that a line begins with, and the name behind it.
pub(super) fn keyword(text: &str) -> Option<(Part, &str)> {
    let (word, name) = text.split_once(':')?;
    KEYWORDS.iter().find(|(known, _)| *known == word).map(|(_, part)| (*part, name))
}

/// Reads a feature.
///
/// # Errors
/// When a line of it is not Gherkin, with its number.
pub fn read(text: &str, field: &str) -> Result<Feature> {
    let mut reader = Reader::default();
    for (at, raw) in text.lines().enumerate() {
        reader.line(raw).map_err(|why| {
            Misfit::new(at + 1, raw.trim(), why, "Given a basket with one book").fault(field)
        })?;
    }
    let Reader { mut feature, description, mut left_out, .. } = reader;
    let rows = feature.scenarios.iter().map(|scenario| scenario.examples.len());
    limits::count(field, rows.max().unwrap_or(0), "rows of examples")?;
    // The story's sentence in the description.
    let mut story = Story::default();
    let is_read = read::text(&mut story, &description.join("\n"), field).is_ok();
    if is_read && story.role.is_some() && story.want.is_some() {
        left_out.splice(..0, std::mem::take(&mut story.technical_notes));
        story.title.clear();
        read::complete(&mut feature.story, story);
    } else {
        left_out.splice(..0, description);
    }
    feature.note = (!left_out.is_empty()).then(|| {
        format!("left out, as it is neither a step nor a scenario's name: {}", left_out.join(" / "))
    });
    Ok(feature)
}

impl Reader {
    fn line(&mut self, raw: &str) -> Result<(), String> {
        let text = raw.trim();
        let blank = indent(raw);
        if let Some((mark, indent)) = self.open {
            self.open = self.open.filter(|_| !text.starts_with(mark));
            let inside = raw.get(blank.min(indent)..).unwrap_or_default();
            self.below(if self.open.is_some() { inside } else { mark });
            return Ok(());
        }
        if let Some(comment) = text.strip_prefix('#') {
            let language = comment.trim_start().strip_prefix("language:").map(str::trim);
            let is_other =
                self.feature.story.title.is_empty() && language.is_some_and(|it| it != "en");
            let why = "is another language than English: write the keywords in English";
            return if is_other { Err(why.to_owned()) } else { Ok(()) };
        }
        if let Some(tags) = text.strip_prefix('@') {
            let tags = tags.split(" #").next().unwrap_or_default().split('@').map(str::trim);
            self.tags.extend(tags.filter(|tag| !tag.is_empty()).map(str::to_owned));
            return Ok(());
        }
        if let Some((part, name)) = keyword(text) {
            return self.begin(part, line(name));
        }
        let is_steps = self.is_begun && matches!(self.part, Part::Background | Part::Scenario);
        let mark = ["\"\"\"", "```"].into_iter().find(|mark| text.starts_with(mark));
        let mark = mark.filter(|_| is_steps);
        self.open = mark.map(|mark| (mark, blank));
        if mark.is_some() || is_steps && table::is_row(text) {
            self.below(text);
        } else if !text.is_empty() && !self.step(text) {
            self.other(text)?;
        }
        Ok(())
    }

    /// Begins what a keyword begins.
    fn begin(&mut self, part: Part, name: String) -> Result<(), String> {
        let mut tags = std::mem::take(&mut self.tags);
        match part {
            Part::Feature => {
                let id = tags.iter().position(|tag| is_id(tag)).map(|at| tags.remove(at));
                (self.feature.story.id, self.feature.story.title) = (id, name);
                self.inherited = tags;
            }
            Part::Rule => {
                return Err(
                    "is a rule, which is not read: write its scenarios below the feature".into()
                );
            }
            Part::Background => self.left_out.extend(Some(name).filter(|name| !name.is_empty())),
            Part::Scenario => self.scenario(name, tags),
            Part::Examples => {
                let is_below = matches!(self.part, Part::Scenario | Part::Examples);
                let last = self.feature.scenarios.last_mut().filter(|_| is_below);
                let last = last.ok_or("has no scenario before it")?;
                last.examples.extend(Some(tagged(&tags)).filter(|tags| !tags.is_empty()));
                last.examples.push(format!("Examples: {name}").trim_end().to_owned());
            }
        }
        (self.part, self.is_begun, self.keyword) = (part, false, Keyword::Given);
        Ok(())
    }

    fn scenario(&mut self, name: String, mut tags: Vec<String>) {
        let is_id = |tag: &String| tag.starts_with("AC-") || tag.starts_with("TC-");
        let id = tags.iter().position(is_id).map(|at| tags.remove(at)).unwrap_or_default();
        let inherited = self.inherited.iter().filter(|tag| !tags.contains(tag));
        tags.extend(inherited.cloned().collect::<Vec<_>>());
        let steps = self.background.clone();
        self.feature.scenarios.push(Scenario { id, name, tags, steps, ..Scenario::default() });
    }

    /// The steps that are open: those of a background, or of the last scenario.
    fn steps(&mut self) -> Option<&mut Vec<Step>> {
        match self.part {
            Part::Background => Some(&mut self.background),
            Part::Scenario => self.feature.scenarios.last_mut().map(|last| &mut last.steps),
            _ => None,
        }
    }

    /// Reads a line that is a step.
    fn step(&mut self, text: &str) -> bool {
        let is_but = text.starts_with("But ");
        let Some((keyword, text)) = Step::line(text) else { return false };
        let keyword = keyword.unwrap_or(self.keyword);
        let Some(steps) = self.steps() else { return false };
        steps.push(Step { is_but, ..Step::new(keyword, text) });
        (self.keyword, self.is_begun) = (keyword, true);
        true
    }

    /// Adds a line of the table or the doc string below the last step.
    fn below(&mut self, line: &str) {
        if let Some(last) = self.steps().and_then(|steps| steps.last_mut()) {
            last.below.push(line.to_owned());
        }
    }

    /// A line that is no step: free text, or a row of examples.
    fn other(&mut self, text: &str) -> Result<(), String> {
        match (self.part, self.feature.scenarios.last_mut()) {
            (Part::Feature, _) => self.description.push(text.to_owned()),
            (Part::Examples, Some(last))
                if table::is_row(text)
                    || last.examples.last().is_none_or(|line| !table::is_row(line)) =>
            {
                last.examples.push(text.to_owned());
            }
            (Part::Examples, _) => return Err("is no row of the examples: write | a | b |".into()),
            _ if self.is_begun => {
                return Err("is no step: begin it with Given, When, Then, And, But or *".into());
            }
            _ => self.left_out.push(text.to_owned()),
        }
        Ok(())
    }
}
