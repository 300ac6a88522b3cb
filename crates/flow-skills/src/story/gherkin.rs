//! Reads a Gherkin feature whole: rules, backgrounds, descriptions, tags, steps with data tables and doc strings, and
//! outlines with examples, with the English keywords. Comments are not part of it.

use super::feature::tagged;
use super::scenario::{Criteria, Keyword, Read, Scenario, Step};
use super::{Story, limits, read};
use crate::input::notation::Misfit;
use crate::output::Result;
use crate::text::{is_id, line, table};

/// What lines belong to, from the keyword above them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    /// The description of the feature, and what stands before the first keyword.
    #[default]
    Feature,
    Rule,
    Background,
    Scenario,
    /// The steps of a scenario or a background, from the first on.
    Steps,
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

#[derive(Debug, Default)]
struct Reader {
    criteria: Criteria,
    /// Tags that stand for themselves, until a keyword follows.
    tags: Vec<String>,
    /// The tags of the feature, and of the rule.
    inherited: [Vec<String>; 2],
    rule: Vec<String>,
    /// The background of the feature, and that of the rule.
    backgrounds: [Vec<Step>; 2],
    part: Part,
    is_background: bool,
    keyword: Keyword,
    /// The mark of a doc string that is not closed, and the bytes of its indentation, which its lines have too.
    open: Option<(&'static str, usize)>,
    notes: Vec<String>,
}

/// Reads a feature.
///
/// # Errors
/// When a line of it is not Gherkin, with its number.
pub fn read(text: &str, field: &str) -> Result<Read> {
    let mut reader = Reader::default();
    for (at, raw) in text.lines().enumerate() {
        reader.line(raw).map_err(|why| {
            Misfit::new(at + 1, raw.trim(), why, "Given a basket with one book").fault(field)
        })?;
    }
    let Reader { mut criteria, notes, .. } = reader;
    let rows = criteria.scenarios.iter().map(|scenario| scenario.examples.len());
    limits::count(field, rows.max().unwrap_or(0), "rows of examples")?;
    // The story's sentence in the description.
    let mut story = Story::default();
    let is_read = read::text(&mut story, &criteria.description.join("\n"), field).is_ok();
    if is_read && story.role.is_some() && story.want.is_some() {
        criteria.description = std::mem::take(&mut story.technical_notes);
        story.title.clear();
        read::complete(&mut criteria.story, story);
    }
    Ok(Read { criteria, notes })
}

impl Reader {
    fn line(&mut self, raw: &str) -> Result<(), String> {
        let text = raw.trim();
        let blank = raw.len() - raw.trim_start().len();
        if let Some((mark, indent)) = self.open {
            self.open = self.open.filter(|_| !text.starts_with(mark));
            let inside = raw.get(blank.min(indent)..).unwrap_or_default();
            self.below(if self.open.is_some() { inside } else { mark });
            return Ok(());
        }
        if let Some(comment) = text.strip_prefix('#') {
            let language = comment.trim_start().strip_prefix("language:").map(str::trim);
            let is_other =
                self.criteria.story.title.is_empty() && language.is_some_and(|it| it != "en");
            let why = "is another language than English: write the keywords in English";
            return if is_other { Err(why.to_owned()) } else { Ok(()) };
        }
        if let Some(tags) = text.strip_prefix('@') {
            let tags = tags.split(" #").next().unwrap_or_default().split('@').map(str::trim);
            self.tags.extend(tags.filter(|tag| !tag.is_empty()).map(str::to_owned));
            return Ok(());
        }
        let named = text.split_once(':').and_then(|(word, name)| {
            let (_, part) = KEYWORDS.iter().find(|(known, _)| *known == word)?;
            Some((*part, line(name)))
        });
        if let Some((part, name)) = named {
            return self.begin(part, name);
        }
        let mark = ["\"\"\"", "```"].into_iter().find(|mark| text.starts_with(mark));
        let mark = mark.filter(|_| self.part == Part::Steps);
        self.open = mark.map(|mark| (mark, blank));
        if mark.is_some() || self.part == Part::Steps && table::is_row(text) {
            self.below(text);
        } else if !text.is_empty() && !self.step(text) {
            self.describe(text)?;
        }
        Ok(())
    }

    /// Begins what a keyword begins.
    fn begin(&mut self, part: Part, name: String) -> Result<(), String> {
        let mut tags = std::mem::take(&mut self.tags);
        match part {
            Part::Feature => {
                let id = tags.iter().position(|tag| is_id(tag)).map(|at| tags.remove(at));
                (self.criteria.story.id, self.criteria.story.title) = (id, name);
                self.inherited[0] = tags;
            }
            Part::Rule => {
                self.rule = vec![name];
                self.inherited[1] = tags;
                self.backgrounds[1].clear();
            }
            Part::Background => {
                if !name.is_empty() {
                    self.notes.push(format!("left out the name of a background: {name}"));
                }
                self.keyword = Keyword::Given;
            }
            Part::Scenario | Part::Steps => self.scenario(name, tags),
            Part::Examples => {
                let last = self.criteria.scenarios.last_mut().filter(|_| !self.is_background);
                let last = last.ok_or("has no scenario before it")?;
                last.examples.extend(Some(tagged(&tags)).filter(|tags| !tags.is_empty()));
                last.examples.push(format!("Examples: {name}").trim_end().to_owned());
            }
        }
        (self.part, self.is_background) = (part, part == Part::Background);
        Ok(())
    }

    fn scenario(&mut self, name: String, mut tags: Vec<String>) {
        let is_id = |tag: &String| tag.starts_with("AC-") || tag.starts_with("TC-");
        let id = tags.iter().position(is_id).map(|at| tags.remove(at)).unwrap_or_default();
        let inherited = self.inherited.iter().flatten().cloned();
        let inherited: Vec<String> = inherited.filter(|tag| !tags.contains(tag)).collect();
        tags.extend(inherited);
        let (rule, steps) = (self.rule.clone(), self.backgrounds.concat());
        let background = steps.len();
        let scenario = Scenario { id, name, tags, rule, steps, background, ..Scenario::default() };
        self.criteria.scenarios.push(scenario);
        self.keyword = Keyword::Given;
    }

    /// The steps that are open: those of a background, or of the last scenario.
    fn steps(&mut self) -> Option<&mut Vec<Step>> {
        if self.is_background {
            return self.backgrounds.get_mut(usize::from(!self.rule.is_empty()));
        }
        self.criteria.scenarios.last_mut().map(|last| &mut last.steps)
    }

    /// Reads a line that is a step.
    fn step(&mut self, text: &str) -> bool {
        let may_be_step = matches!(self.part, Part::Background | Part::Scenario | Part::Steps);
        let Some((keyword, text)) = Step::line(text).filter(|_| may_be_step) else { return false };
        self.keyword = keyword.unwrap_or(self.keyword);
        let step = Step::new(self.keyword, text);
        self.part = Part::Steps;
        self.steps().map(|steps| steps.push(step)).is_some()
    }

    /// Adds a line of the table or the doc string below the last step.
    fn below(&mut self, line: &str) {
        if let Some(last) = self.steps().and_then(|steps| steps.last_mut()) {
            last.below.push(line.to_owned());
        }
    }

    /// A line of free text, or a row of examples.
    fn describe(&mut self, text: &str) -> Result<(), String> {
        let last = self.criteria.scenarios.last_mut();
        let lines = match self.part {
            Part::Feature => Some(&mut self.criteria.description),
            Part::Rule => Some(&mut self.rule),
            Part::Background => {
                self.notes.push(format!("left out the description of a background: {text}"));
                return Ok(());
            }
            Part::Scenario => last.map(|last| &mut last.description),
            Part::Steps => {
                return Err("is no step: begin it with Given, When, Then, And, But or *".to_owned());
            }
            Part::Examples => last.map(|last| &mut last.examples).filter(|lines| {
                table::is_row(text) || lines.last().is_none_or(|last| !table::is_row(last))
            }),
        };
        lines.ok_or("is no row of the examples: write | a | b |")?.push(text.to_owned());
        Ok(())
    }
}
