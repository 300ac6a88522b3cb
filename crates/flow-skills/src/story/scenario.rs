//! An acceptance criterion as Given, When, Then, made from a statement or a case of a pattern.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Story, grammar, pattern};
use crate::input::kind::{Kind, Payload};
use crate::text::prose::prose;
use crate::text::{after, capital, table, title};

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
    /// The preconditions.
    pub given: Vec<String>,
    /// The events.
    pub when: Vec<String>,
    /// The expected outcomes.
    pub then: Vec<String>,
    /// The tables of a Scenario Outline, whose columns occur in steps as `<column>`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Examples>,
}

/// A table of examples.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Examples {
    /// Its name; usually empty.
    pub name: String,
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

impl Scenario {
    /// Marks it as stated, unless it says that it is stated or suggested.
    pub fn state(&mut self) {
        if !self.has(STATED) && !self.has(SUGGESTED) {
            self.tags.insert(0, STATED.to_owned());
        }
    }

    /// Its steps with their keywords.
    pub fn steps(&self) -> Vec<(&'static str, &str)> {
        let parts = [("Given", &self.given), ("When", &self.when), ("Then", &self.then)];
        parts
            .into_iter()
            .flat_map(|(keyword, steps)| {
                steps
                    .iter()
                    .enumerate()
                    .map(move |(at, step)| (if at == 0 { keyword } else { "And" }, step.as_str()))
            })
            .collect()
    }

    /// Whether it has a tag.
    pub fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own == tag)
    }

    /// Made from a statement: `Given …, when …, then …`, `If …, …`, or a condition on the story's action.
    pub fn stated(id: String, text: &str, story: &Story) -> Self {
        let (given, when, then) = parts(text);
        let mut scenario =
            Self { id, name: title(text), tags: vec![STATED.into()], ..Self::default() };
        scenario.given = given.map_or_else(|| actor(story), |given| vec![given]);
        let action = || story.does().map(|does| format!("{} {does}", story.who()));
        scenario.when = when.or_else(action).into_iter().collect();
        scenario.then = vec![lowered(&then)];
        scenario
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
            given: vec![fill(&case.given)],
            when: vec![fill(when)],
            then: vec![fill(&case.then)],
            examples: Vec::new(),
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
        given: actor(story),
        when: vec![format!("{who} {does}")],
        then: vec![grammar::clause(benefit, &who, story.is_plural())],
        examples: Vec::new(),
    })
}

/// A sentence as the rest of a step: the first letter becomes lower case, unless the word always has a capital.
fn lowered(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let small = [
        "A", "An", "The", "No", "Only", "Each", "Every", "At", "Up", "It", "They", "There", "All",
        "Nobody",
    ];
    if small.contains(&first) {
        format!("{}{}", first.to_lowercase(), &text[first.len()..])
    } else {
        text.to_owned()
    }
}

/// The step that introduces the actor.
fn actor(story: &Story) -> Vec<String> {
    story.role.iter().map(|role| format!("{}{role}", grammar::article(role))).collect()
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
    let steps: Vec<Value> =
        scenario.steps().iter().map(|(keyword, step)| json!([keyword, prose(step)])).collect();
    json!({
        "id": scenario.id, "name": heading(&scenario.name), "tags": scenario.tags, "steps": steps,
        "examples": examples(&scenario.examples),
    })
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
    let name =
        |table: &Examples| if table.name.is_empty() { String::new() } else { prose(&table.name) };
    tables.iter().map(|table| json!({"name": name(table), "rows": rows(table)})).collect()
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
    let all = |texts: &[String]| texts.iter().map(|text| prose(text)).collect::<Vec<_>>();
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
