//! An acceptance criterion as Given, When, Then, made from a statement or a case of a pattern.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Story, grammar, pattern};
use crate::input::kind::{Kind, Payload};
use crate::text::prose::{all, prose};
use crate::text::{after, capital, lists, table, title};

/// The first tag of a criterion from the input.
pub const STATED: &str = "stated";
/// The first tag of a criterion from a pattern.
pub const SUGGESTED: &str = "suggested";
/// The id of the criterion of the story's own path.
pub const STORY: &str = "AC-story";

/// An acceptance criterion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scenario {
    /// Its id, stable when others are added: `AC-story`, `AC-R1`, `AC-C1`, `AC-S-expired-link`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its tags, without `@`: `stated` or `suggested`, the kind, the rule's name, the rules of the input that it cites.
    pub tags: Vec<String>,
    /// The text below its name in a feature, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub description: Vec<String>,
    /// The rule of the feature that it belongs to: its name, and the lines below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rule: Vec<String>,
    /// The steps, in their order.
    pub steps: Vec<Step>,
    /// How many of the first steps are those of a feature's background.
    #[serde(skip_serializing_if = "crate::output::is_default")]
    pub background: usize,
    /// The tables of a Scenario Outline, whose columns occur in steps as `<column>`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Examples>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What it is; "And" and "But" repeat that of the step before.
    pub keyword: Keyword,
    /// Its text, on one line.
    pub text: String,
    /// The lines of its data table or doc string, as in Gherkin, without the indentation of the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<String>,
}

/// What a step is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keyword {
    /// A precondition.
    #[default]
    Given,
    /// An event.
    When,
    /// An expected outcome.
    Then,
}

/// A table of examples.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Examples {
    /// Its name; usually empty.
    pub name: String,
    /// Its tags, without `@`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The text below its name, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub description: Vec<String>,
    /// The names of its columns.
    pub header: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

/// A story and its acceptance criteria.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Criteria {
    /// The story.
    pub story: Story,
    /// What a feature says of itself besides its story, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub description: Vec<String>,
    /// The criteria.
    pub scenarios: Vec<Scenario>,
}

/// Criteria read from a text.
#[derive(Debug, Default)]
pub struct Read {
    /// The story and the criteria.
    pub criteria: Criteria,
    /// What could not be read, in sentences.
    pub notes: Vec<String>,
}

impl Payload for Criteria {
    const KIND: Kind = Kind::Criteria;
}

impl Step {
    /// A step of one line.
    pub fn new(keyword: Keyword, text: impl Into<String>) -> Self {
        Self { keyword, text: text.into(), below: Vec::new() }
    }
}

impl Examples {
    /// Adds a row, of which the first is the header.
    pub fn add(&mut self, cells: Vec<String>) {
        if self.header.is_empty() {
            self.header = cells;
        } else {
            self.rows.push(cells);
        }
    }
}

impl Keyword {
    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Given => "Given",
            Self::When => "When",
            Self::Then => "Then",
        }
    }
}

/// Steps with the words that they are written with: "And" where the keyword is that of the step before.
pub fn worded(steps: &[Step]) -> impl Iterator<Item = (&'static str, &Step)> {
    let mut before = None;
    steps.iter().map(move |step| {
        let is_same = before.replace(step.keyword) == Some(step.keyword);
        (if is_same { "And" } else { step.keyword.name() }, step)
    })
}

impl Scenario {
    /// Marks it as stated, unless it says that it is stated or suggested.
    pub fn state(&mut self) {
        if !self.has(STATED) && !self.has(SUGGESTED) {
            self.tags.insert(0, STATED.to_owned());
        }
    }

    /// Whether it expects an outcome.
    pub fn has_then(&self) -> bool {
        self.steps.iter().any(|step| step.keyword == Keyword::Then)
    }

    /// Whether it has a tag.
    pub fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own == tag)
    }

    /// Made from a statement: `Given …, when …, then …`, `If …, …`, or a condition on the story's action.
    pub fn stated(id: String, text: &str, story: &Story) -> Self {
        let (given, when, then) = parts(text);
        let action = || story.does().map(|does| format!("{} {does}", story.who()));
        let steps = given_when_then(
            given.or_else(|| actor(story)),
            when.or_else(action),
            lowered(&then, story.role.as_deref()),
        );
        // The outcome alone names a statement that is too long for a name.
        let whole = title(text);
        let name = if whole.ends_with('…') { title(&then) } else { whole };
        Self { id, name, tags: vec![STATED.into()], steps, ..Self::default() }
    }

    /// Made from a case of a pattern.
    pub fn suggested(class: &str, case: &pattern::Case, story: &Story) -> Self {
        let who = story.who();
        let does = story.does().unwrap_or_else(|| "tries".into());
        let fill = |text: &str| text.replace("{who}", &who).replace("{does}", &does);
        let when = if case.when.is_empty() { "{who} {does}" } else { &case.when };
        Self {
            id: format!("AC-S-{}", case.rule),
            name: capital(&case.rule.replace('-', " ")),
            tags: vec![SUGGESTED.into(), case.kind.clone(), format!("rule:{class}/{}", case.rule)],
            steps: given_when_then(Some(fill(&case.given)), Some(fill(when)), fill(&case.then)),
            ..Self::default()
        }
    }
}

/// The story's own path; `None` if it names no action or no benefit.
pub fn own_path(story: &Story) -> Option<Scenario> {
    let (does, benefit) = (story.does()?, story.benefit.as_deref()?);
    let who = story.who();
    Some(Scenario {
        id: STORY.into(),
        name: story.title.clone(),
        tags: vec![STATED.into()],
        steps: given_when_then(
            actor(story),
            Some(format!("{who} {does}")),
            grammar::clause(benefit, &who, story.is_plural()),
        ),
        ..Scenario::default()
    })
}

/// Words that have a capital only at the beginning of a sentence.
const SMALL: &str = "A After All An Any At Before Between By During Each Every For From If In It No \
    Nobody Nothing On Once Only Otherwise The There They This Unless Until Up When While With Within \
    Without";

/// A sentence as the rest of a step: the first letter becomes lower case, unless the word may be a name. A plural with
/// its verb and the story's role are none.
fn lowered(text: &str, role: Option<&str>) -> String {
    let mut words = text.split(' ');
    let (first, next) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let small = first.to_lowercase();
    let is_capitalised = capital(&small) == first;
    let is_plural = grammar::is_plural(&small) && ["are", "have", "were"].contains(&next);
    let is_role = role.is_some_and(|role| role == small || small.strip_suffix('s') == Some(role));
    if lists(SMALL, first) || is_capitalised && (is_plural || is_role) {
        format!("{small}{}", &text[first.len()..])
    } else {
        text.to_owned()
    }
}

/// The step that introduces the actor.
fn actor(story: &Story) -> Option<String> {
    story.role.as_ref().map(|role| format!("{}{role}", grammar::article(role)))
}

/// A step of each kind.
fn given_when_then(given: Option<String>, when: Option<String>, then: String) -> Vec<Step> {
    let given = given.map(|given| Step::new(Keyword::Given, given));
    let when = when.map(|when| Step::new(Keyword::When, when));
    given.into_iter().chain(when).chain([Step::new(Keyword::Then, then)]).collect()
}

/// The three parts of a statement.
fn parts(text: &str) -> (Option<String>, Option<String>, String) {
    let trim = |text: &str| text.trim_matches([',', ';', ' ']).trim_end_matches('.').to_owned();
    let lower = text.to_ascii_lowercase();
    let after_given = || lower.find(" when ").or_else(|| lower.find(" then "));
    let at = after(text, &["given "]).and_then(|_| after_given()).filter(|at| *at > "given ".len());
    let (given, rest) = match at {
        Some(at) => (Some(trim(&text["given ".len()..at])), &text[at + 1..]),
        None => (None, text),
    };
    let Some(event) = after(rest, &["when ", "if "]) else {
        return (given, None, trim(after(rest, &["then "]).unwrap_or(rest)));
    };
    let lower = event.to_ascii_lowercase();
    let (when, then) = match lower.find(" then ") {
        Some(at) => (&event[..at], &event[at + 6..]),
        None => match event.find(", ") {
            Some(at) => (&event[..at], &event[at + 2..]),
            None => return (given, None, trim(rest)),
        },
    };
    (given, Some(trim(when)), trim(then))
}

/// A scenario for a template.
pub fn view(scenario: &Scenario) -> Value {
    let steps: Vec<Value> = worded(&scenario.steps)
        .map(|(word, step)| json!([word, prose(&step.text), fenced(&step.below)]))
        .collect();
    json!({
        "id": scenario.id, "name": heading(&scenario.name), "tags": scenario.tags, "steps": steps,
        "rule": all(&scenario.rule), "description": all(&scenario.description),
        "examples": examples(&scenario.examples),
    })
}

/// A data table or a doc string as a block of code that belongs to an item of a list.
fn fenced(below: &[String]) -> Option<String> {
    let longest = below.iter().map(|line| line.len() - line.trim_start_matches('`').len()).max()?;
    let fence = "`".repeat(3.max(longest + 1));
    let lines = below.iter().map(|line| format!("  {line}").trim_end().to_owned());
    let lines: Vec<String> = lines.collect();
    Some(format!("  {fence}gherkin\n{}\n  {fence}", lines.join("\n")))
}

/// Tables of examples as rows of Markdown.
pub fn examples(tables: &[Examples]) -> Vec<Value> {
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| table::cell(cell)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let rows = |table: &Examples| -> Vec<String> {
        let rule = format!("|{}", " --- |".repeat(table.header.len()));
        [row(&table.header), rule]
            .into_iter()
            .chain(table.rows.iter().map(|cells| row(cells)))
            .collect()
    };
    let view = |table: &Examples| {
        json!({
            "name": prose(&table.name), "tags": table.tags, "description": all(&table.description),
            "rows": rows(table),
        })
    };
    tables.iter().map(view).collect()
}

/// A text for a heading, with a hash at its end escaped, which would end the heading.
pub fn heading(text: &str) -> String {
    let safe = prose(text);
    match safe.strip_suffix('#') {
        Some(rest) if !rest.ends_with('\\') => format!("{rest}\\#"),
        _ => safe,
    }
}

/// A story for a template, with its texts as Markdown.
pub fn view_of_story(story: &Story) -> Value {
    let one = |text: &Option<String>| text.as_deref().map(prose);
    let article = story.role.as_deref().map_or("a", |role| grammar::article(role).trim());
    json!({
        "id": story.id, "title": heading(&story.title), "article": article, "role": one(&story.role),
        "want": one(&story.want), "benefit": one(&story.benefit), "rules": all(&story.rules),
        "criteria": all(&story.criteria), "points": story.points, "estimate": one(&story.estimate),
        "status": one(&story.status), "dependencies": story.dependencies, "epic": one(&story.epic),
        "owner": one(&story.owner), "priority": one(&story.priority),
        "technical_notes": all(&story.technical_notes), "story_data": story.data,
    })
}
