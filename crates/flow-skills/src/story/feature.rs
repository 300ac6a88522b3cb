//! Acceptance criteria as a Gherkin feature: writing one, and reading features with backgrounds, rules, outlines with
//! examples, and comments.

use super::scenario::{Criteria, Examples, Read, Scenario};
use super::{Story, data, grammar, read};
use crate::text::{after, line, table};

const SCENARIOS: [&str; 4] = ["Scenario Outline:", "Scenario Template:", "Scenario:", "Example:"];
const EXAMPLES: [&str; 2] = ["Examples:", "Scenarios:"];
const KEYWORDS: [&str; 6] = ["Given ", "When ", "Then ", "And ", "But ", "* "];

/// Writes criteria as a feature, with questions as comments at its end.
pub fn write(name: &str, story: &Story, scenarios: &[Scenario], open: &[String]) -> String {
    let mut lines: Vec<String> = story.id.iter().map(|id| format!("@{id}")).collect();
    lines.push(format!("Feature: {name}"));
    lines.extend(story.role.iter().map(|role| format!("  As {}{role}", grammar::article(role))));
    lines.extend(story.want.iter().map(|want| format!("  I want {want}")));
    lines.extend(story.benefit.iter().map(|benefit| format!("  So that {benefit}")));
    if !story.data.is_empty() {
        lines.push(String::new());
        lines.extend(story.data.iter().map(|data| format!("  Data: {data}")));
    }
    for scenario in scenarios {
        write_one(scenario, &mut lines);
    }
    if !open.is_empty() {
        lines.push(String::new());
        lines.extend(open.iter().map(|question| format!("# Open: {question}")));
    }
    lines.join("\n") + "\n"
}

fn write_one(scenario: &Scenario, lines: &mut Vec<String>) {
    let tags: Vec<String> = scenario.tags.iter().map(|tag| format!(" @{tag}")).collect();
    let keyword = if scenario.examples.is_empty() { "Scenario" } else { "Scenario Outline" };
    lines.push(format!("\n  @{}{}\n  {keyword}: {}", scenario.id, tags.concat(), scenario.name));
    lines.extend(scenario.steps().iter().map(|(keyword, step)| format!("    {keyword} {step}")));
    for table in &scenario.examples {
        lines.push(format!("\n    Examples: {}", table.name).trim_end().to_owned());
        let rows = std::iter::once(&table.header).chain(&table.rows);
        lines.extend(rows.map(|cells| {
            let cells: Vec<String> =
                cells.iter().map(|cell| cell.replace('\\', "\\\\").replace('|', "\\|")).collect();
            format!("      | {} |", cells.join(" | "))
        }));
    }
}

/// The part of a feature that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    /// The description of the feature.
    #[default]
    Description,
    Background,
    Given,
    When,
    Then,
    Examples,
}

#[derive(Debug, Default)]
struct Reader {
    story: Story,
    scenarios: Vec<Scenario>,
    description: Vec<String>,
    tags: Vec<String>,
    /// The steps of the background.
    background: Vec<String>,
    part: Part,
    /// Whether a doc string is open.
    is_quoted: bool,
    has_feature: bool,
    /// The numbers of the lines that a criterion cannot contain.
    left_out: Vec<usize>,
}

/// Reads a feature.
pub fn read(text: &str) -> Read {
    let mut reader = Reader::default();
    for (at, raw) in text.lines().enumerate() {
        reader.line(at + 1, raw.trim());
    }
    let Reader { mut story, scenarios, description, left_out, .. } = reader;
    let (id, title) = (story.id.take(), std::mem::take(&mut story.title));
    // A description is free text in Gherkin: if it is not a story it is ignored, and the scenarios are read.
    let described = read::text(&mut story, &description.join("\n"), "criteria");
    let no_story =
        described.err().map(|fault| format!("left out the description of the feature: {fault}"));
    story.id = id.or(story.id);
    if !title.is_empty() {
        story.title = title;
    }
    let places: Vec<String> = left_out.iter().take(5).map(usize::to_string).collect();
    let note = format!(
        "left out tables and texts below steps, and names of rules (lines {}{})",
        places.join(", "),
        if left_out.len() > 5 { ", …" } else { "" }
    );
    let notes = (!left_out.is_empty()).then_some(note).into_iter().chain(no_story).collect();
    Read { criteria: Criteria { story, scenarios }, notes }
}

impl Reader {
    fn line(&mut self, number: usize, text: &str) {
        if text.starts_with("\"\"\"") || text.starts_with("```") {
            self.is_quoted = !self.is_quoted;
            if self.is_quoted {
                self.left_out.push(number);
            }
            return;
        }
        if self.is_quoted || text.is_empty() || text.starts_with('#') {
            return;
        }
        if text.starts_with('@') {
            self.tag(text);
        } else if let Some(name) = after(text, &SCENARIOS) {
            self.begin(name);
        } else if let Some(name) = after(text, &["Feature:"]) {
            self.story.title = line(name);
            self.has_feature = true;
        } else if after(text, &["Background:"]).is_some() {
            (self.part, self.background) = (Part::Background, Vec::new());
        } else if after(text, &["Rule:"]).is_some() {
            (self.part, self.background) = (Part::Description, Vec::new());
            self.left_out.push(number);
        } else if let Some(name) = after(text, &EXAMPLES) {
            self.examples(name);
        } else if table::is_row(text) && self.part != Part::Description {
            self.row(number, text);
        } else if !self.step(text) && self.scenarios.is_empty() {
            self.description.push(text.to_owned());
        }
    }

    /// Reads a tag: the first of a feature may be the story's id, and one of a scenario its id.
    fn tag(&mut self, text: &str) {
        let mut tags = text.split_whitespace().filter_map(|word| word.strip_prefix('@')).peekable();
        let id = tags.next_if(|tag| !self.has_feature && read::is_id(tag));
        self.story.id = id.map(str::to_owned).or(self.story.id.take());
        self.tags.extend(tags.map(str::to_owned));
    }

    fn begin(&mut self, name: &str) {
        let mut tags = std::mem::take(&mut self.tags);
        let is_id = |tag: &String| tag.starts_with("AC-") || tag.starts_with("TC-");
        let id = tags.iter().position(is_id).map(|at| tags.remove(at)).unwrap_or_default();
        let given = self.background.clone();
        self.scenarios.push(Scenario { id, name: line(name), tags, given, ..Scenario::default() });
        self.part = Part::Given;
    }

    fn examples(&mut self, name: &str) {
        if let Some(last) = self.scenarios.last_mut() {
            last.examples.push(Examples { name: line(name), ..Examples::default() });
            self.part = Part::Examples;
        }
        self.tags.clear();
    }

    /// Reads a row of examples; a table below a step is not supported.
    fn row(&mut self, number: usize, text: &str) {
        let open = self.scenarios.last_mut().and_then(|last| last.examples.last_mut());
        let Some(open) = open.filter(|_| self.part == Part::Examples) else {
            return self.left_out.push(number);
        };
        let cells: Vec<String> =
            table::cells(text).iter().map(|cell| line(&cell.replace("\\\\", "\\"))).collect();
        if open.header.is_empty() {
            open.header = cells;
        } else if open.rows.len() < data::MOST {
            open.rows.push(cells);
        }
    }

    /// Reads a line that is a step.
    fn step(&mut self, text: &str) -> bool {
        let is_open = self.part == Part::Background || !self.scenarios.is_empty();
        let found =
            KEYWORDS.iter().find_map(|keyword| Some((*keyword, text.strip_prefix(keyword)?)));
        let Some((keyword, rest)) = found.filter(|_| is_open && self.part != Part::Description)
        else {
            return false;
        };
        if self.part == Part::Background {
            self.background.push(line(rest));
            return true;
        }
        self.part = match keyword {
            "Given " => Part::Given,
            "When " => Part::When,
            "Then " => Part::Then,
            _ => self.part,
        };
        let Some(last) = self.scenarios.last_mut() else { return false };
        match self.part {
            Part::When => last.when.push(line(rest)),
            Part::Then => last.then.push(line(rest)),
            _ => last.given.push(line(rest)),
        }
        true
    }
}
