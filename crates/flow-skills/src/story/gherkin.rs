//! Reads a Gherkin feature whole: rules, backgrounds, descriptions, tags, steps with data tables and doc strings, and
//! outlines with examples, with the English keywords. Comments are not part of it.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::scenario::{Criteria, Examples, Keyword, Read, Scenario, Step};
use super::{limits, read};
use crate::input::notation::Misfit;
use crate::input::recognise::is_feature;
use crate::input::values;
use crate::output::Result;
use crate::text::{is_id, line, table};

/// The text of criteria. That of a feature may have control characters, which its steps type or compare.
#[derive(Debug, JsonSchema)]
#[schemars(with = "values::Block")]
pub struct Source(String);

impl std::ops::Deref for Source {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if is_feature(&text) {
            return Ok(Self(text));
        }
        values::Block::new(&text)
            .map(|block| Self(block.into_inner()))
            .map_err(serde::de::Error::custom)
    }
}

/// What a keyword with a colon begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Feature,
    Background,
    Rule,
    Scenario,
    Examples,
}

/// The keywords of blocks.
const BLOCKS: [(&str, Block); 11] = [
    ("Feature", Block::Feature),
    ("Ability", Block::Feature),
    ("Business Need", Block::Feature),
    ("Background", Block::Background),
    ("Rule", Block::Rule),
    ("Scenario", Block::Scenario),
    ("Scenario Outline", Block::Scenario),
    ("Scenario Template", Block::Scenario),
    ("Example", Block::Scenario),
    ("Examples", Block::Examples),
    ("Scenarios", Block::Examples),
];

/// The block that a line begins, and its name.
fn block(text: &str) -> Option<(Block, String)> {
    let (word, name) = text.split_once(':')?;
    BLOCKS.iter().find(|(known, _)| *known == word).map(|(_, block)| (*block, line(name)))
}

/// What the lines of a feature without a keyword belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    /// What stands before the first keyword, or the description of the feature.
    #[default]
    Feature,
    Rule,
    Background,
    /// The description of a scenario.
    Scenario,
    /// Its steps, or those of a background.
    Steps,
    Examples,
}

/// A doc string that is not closed.
#[derive(Debug)]
struct DocString {
    mark: &'static str,
    /// The indentation of its mark, which its lines have too, in bytes.
    indent: usize,
}

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
    open: Option<DocString>,
    notes: Vec<String>,
}

/// Reads a feature.
///
/// # Errors
/// When a line of it is not Gherkin, with its number.
pub fn read(text: &str, field: &str) -> Result<Read> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let code =
        text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with('#'));
    let code =
        code.filter_map(|line| line.trim_start_matches(['#', ' ']).strip_prefix("language:"));
    let code = code.map(str::trim).next().unwrap_or("en");
    if code != "en" {
        let why = "is another language than English: write the keywords of the feature in English";
        return Err(Misfit::new(1, code, why, "# language: en").fault(field));
    }
    let mut reader = Reader::default();
    for (at, raw) in text.lines().enumerate() {
        reader.line(raw).map_err(|why| {
            Misfit::new(at + 1, raw.trim(), why, "Given a basket with one book").fault(field)
        })?;
    }
    let Reader { mut criteria, notes, .. } = reader;
    let rows = criteria.scenarios.iter().flat_map(|scenario| &scenario.examples);
    limits::count(
        field,
        rows.map(|table| table.rows.len()).max().unwrap_or(0),
        "rows of examples",
    )?;
    describe(&mut criteria, field);
    Ok(Read { criteria, notes })
}

/// Takes the story's sentence out of the description of the feature, if there is one.
fn describe(criteria: &mut Criteria, field: &str) {
    let mut story = super::Story::default();
    let is_story = read::text(&mut story, &criteria.description.join("\n"), field).is_ok()
        && story.role.is_some()
        && story.want.is_some();
    if is_story {
        criteria.description = std::mem::take(&mut story.technical_notes);
        story.title.clear();
        read::complete(&mut criteria.story, story);
    }
}

impl Reader {
    fn line(&mut self, raw: &str) -> Result<(), String> {
        let text = raw.trim();
        if self.open.is_some() {
            self.doc_string(raw);
            return Ok(());
        }
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        if text.starts_with('@') {
            let words = text.split(" #").next().unwrap_or_default().split('@').map(str::trim);
            self.tags.extend(words.filter(|tag| !tag.is_empty()).map(str::to_owned));
            return Ok(());
        }
        if let Some((block, name)) = block(text) {
            return self.begin(block, name);
        }
        let marks = ["\"\"\"", "```"];
        match marks.into_iter().find(|mark| text.starts_with(mark)) {
            Some(mark) if self.part == Part::Steps => {
                self.open = Some(DocString { mark, indent: raw.len() - raw.trim_start().len() });
                self.below(text);
                return Ok(());
            }
            _ => {}
        }
        let may_be_step = matches!(self.part, Part::Background | Part::Scenario | Part::Steps);
        if may_be_step && self.step(text) {
            return Ok(());
        }
        match self.part {
            Part::Steps if table::is_row(text) => self.below(text),
            Part::Examples if table::is_row(text) => self.row(text),
            Part::Steps => {
                return Err("is no step: begin it with Given, When, Then, And, But or *".to_owned());
            }
            _ => self.describe(text)?,
        }
        Ok(())
    }

    /// Begins what a keyword begins.
    fn begin(&mut self, block: Block, name: String) -> Result<(), String> {
        let tags = std::mem::take(&mut self.tags);
        match block {
            Block::Feature => {
                let mut tags = tags;
                let id = tags.iter().position(|tag| is_id(tag)).map(|at| tags.remove(at));
                self.criteria.story.id = id;
                self.criteria.story.title = name;
                self.inherited[0] = tags;
                self.part = Part::Feature;
            }
            Block::Rule => {
                self.rule = vec![name];
                self.inherited[1] = tags;
                self.backgrounds[1].clear();
                self.part = Part::Rule;
            }
            Block::Background => {
                if !name.is_empty() {
                    self.notes.push(format!("left out the name of a background: {name}"));
                }
                self.is_background = true;
                self.part = Part::Background;
                self.keyword = Keyword::Given;
            }
            Block::Scenario => self.scenario(name, tags),
            Block::Examples => {
                let Some(last) = self.criteria.scenarios.last_mut().filter(|_| !self.is_background)
                else {
                    return Err("has no scenario before it".to_owned());
                };
                last.examples.push(Examples { name, tags, ..Examples::default() });
                self.part = Part::Examples;
            }
        }
        Ok(())
    }

    fn scenario(&mut self, name: String, mut tags: Vec<String>) {
        let is_id = |tag: &String| tag.starts_with("AC-") || tag.starts_with("TC-");
        let id = tags.iter().position(is_id).map(|at| tags.remove(at)).unwrap_or_default();
        let inherited = self.inherited.iter().flatten().cloned();
        let inherited: Vec<String> = inherited.filter(|tag| !tags.contains(tag)).collect();
        tags.extend(inherited);
        let steps = self.backgrounds.concat();
        self.criteria.scenarios.push(Scenario {
            id,
            name,
            tags,
            rule: self.rule.clone(),
            background: steps.len(),
            steps,
            ..Scenario::default()
        });
        self.part = Part::Scenario;
        self.is_background = false;
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
        let Some((keyword, text)) = Step::line(text) else { return false };
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

    fn doc_string(&mut self, raw: &str) {
        let Some(DocString { mark, indent }) = self.open.take() else { return };
        if raw.trim_start().starts_with(mark) {
            return self.below(mark);
        }
        self.open = Some(DocString { mark, indent });
        let blank = raw.len() - raw.trim_start().len();
        self.below(raw.get(blank.min(indent)..).unwrap_or_default());
    }

    /// Reads a row of examples.
    fn row(&mut self, text: &str) {
        let scenario = self.criteria.scenarios.last_mut();
        let Some(open) = scenario.and_then(|last| last.examples.last_mut()) else { return };
        let cells: Vec<String> = table::cells(text).iter().map(|cell| unescaped(cell)).collect();
        open.add(cells);
    }

    /// A line of free text.
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
            Part::Steps | Part::Examples => last
                .and_then(|last| last.examples.last_mut())
                .filter(|table| table.header.is_empty())
                .map(|table| &mut table.description),
        };
        let lines = lines.ok_or("is no row of the examples: write | a | b |")?;
        lines.push(text.to_owned());
        Ok(())
    }
}

/// The text of a cell: `\n` is a line break and `\\` a backslash; a bar has lost its backslash already.
fn unescaped(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    let mut chars = cell.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some(next @ ('n' | '\\'))) => {
                chars.next();
                text.push(if next == 'n' { '\n' } else { next });
            }
            _ => text.push(c),
        }
    }
    text
}
