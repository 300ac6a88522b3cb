//! An acceptance criterion as Given, When, Then: made from a statement, and written as Gherkin or Markdown.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Story, grammar, pattern};
use crate::text::{after, markdown, title};

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
    /// What holds before.
    pub given: Vec<String>,
    /// What happens.
    pub when: Vec<String>,
    /// What follows.
    pub then: Vec<String>,
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

impl Scenario {
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

    /// Made of a statement: `Given …, when …, then …`, `If …, …`, or what must be true of the story's action.
    pub fn stated(id: String, text: &str, story: &Story) -> Self {
        let (given, when, then) = parts(text);
        let mut scenario =
            Self { id, name: title(text), tags: vec!["stated".into()], ..Self::default() };
        scenario.given = given.map_or_else(|| actor(story), |given| vec![given]);
        let action = || story.does().map(|does| format!("{} {does}", story.who()));
        scenario.when = when.or_else(action).into_iter().collect();
        scenario.then = vec![lowered(&then)];
        scenario
    }

    /// A case of a pattern for a story.
    pub fn suggested(class: &str, case: &pattern::Case, story: &Story) -> Self {
        let who = story.who();
        let does = story.does().unwrap_or_else(|| "tries".into());
        let fill = |text: &str| text.replace("{who}", &who).replace("{does}", &does);
        let when = if case.when.is_empty() { "{who} {does}" } else { &case.when };
        Self {
            id: format!("AC-S-{}", case.rule),
            name: crate::text::capital(&case.rule.replace('-', " ")),
            tags: vec![
                "suggested".into(),
                case.kind.clone(),
                format!("rule:{class}/{}", case.rule),
            ],
            given: vec![fill(&case.given)],
            when: vec![fill(when)],
            then: vec![fill(&case.then)],
        }
    }
}

/// The happy path that the story itself states; `None` when it names no action.
pub fn happy(story: &Story) -> Option<Scenario> {
    let does = story.does()?;
    let who = story.who();
    let (has, succeeds) = if story.is_plural() { ("have", "succeed") } else { ("has", "succeeds") };
    let then = match (&story.benefit, story.action()) {
        (Some(benefit), _) => grammar::clause(benefit, &who, story.is_plural()),
        (None, Some(_)) => format!("{who} {succeeds}"),
        (None, None) => {
            format!("{who} {has} {}", grammar::person(story.want.as_deref().unwrap_or_default()))
        }
    };
    Some(Scenario {
        id: "AC-story".into(),
        name: story.title.clone(),
        tags: vec!["stated".into()],
        given: actor(story),
        when: vec![format!("{who} {does}")],
        then: vec![then],
    })
}

/// A sentence as the rest of a step: a word that has its capital only from standing first loses it.
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

/// The step that brings in who acts.
fn actor(story: &Story) -> Vec<String> {
    story.role.iter().map(|role| format!("{}{role}", grammar::article(role))).collect()
}

/// The three parts of a statement.
fn parts(text: &str) -> (Option<String>, Option<String>, String) {
    let trim = |text: &str| text.trim_matches([',', ';', ' ']).trim_end_matches('.').to_owned();
    let lower = text.to_ascii_lowercase();
    let (given, rest) = match (after(text, &["given "]), lower.find(" when ")) {
        (Some(_), Some(at)) => (Some(trim(&text[6..at])), &text[at + 1..]),
        _ => (None, text),
    };
    let Some(event) = after(rest, &["when ", "if "]) else { return (given, None, trim(rest)) };
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

/// Criteria as a `.feature`, with questions as comments at its end.
pub fn feature(name: &str, story: &Story, scenarios: &[Scenario], open: &[String]) -> String {
    let mut lines: Vec<String> = story.id.iter().map(|id| format!("@{id}")).collect();
    lines.push(format!("Feature: {name}"));
    lines.extend(story.role.iter().map(|role| format!("  As {}{role}", grammar::article(role))));
    lines.extend(story.want.iter().map(|want| format!("  I want {want}")));
    lines.extend(story.benefit.iter().map(|benefit| format!("  So that {benefit}")));
    if !story.rules.is_empty() {
        lines.push(String::new());
        lines.extend(
            story.rules.iter().enumerate().map(|(at, rule)| format!("  R{}: {rule}", at + 1)),
        );
    }
    if !story.data.is_empty() {
        lines.push(String::new());
        lines.extend(story.data.iter().map(|data| format!("  Data: {data}")));
    }
    for scenario in scenarios {
        let tags: Vec<String> = scenario.tags.iter().map(|tag| format!(" @{tag}")).collect();
        lines.push(format!("\n  @{}{}\n  Scenario: {}", scenario.id, tags.concat(), scenario.name));
        lines
            .extend(scenario.steps().iter().map(|(keyword, step)| format!("    {keyword} {step}")));
    }
    if !open.is_empty() {
        lines.push(String::new());
        lines.extend(open.iter().map(|question| format!("# Open: {question}")));
    }
    lines.join("\n") + "\n"
}

/// A story for a template, its texts as Markdown.
pub fn view(story: &Story) -> Value {
    let all = |texts: &[String]| texts.iter().map(|text| markdown(text)).collect::<Vec<_>>();
    let article = story.role.as_deref().map_or("a", |role| grammar::article(role).trim());
    json!({
        "id": story.id, "title": markdown(&story.title), "article": article,
        "role": story.role.as_deref().map(markdown), "want": story.want.as_deref().map(markdown),
        "benefit": story.benefit.as_deref().map(markdown), "rules": all(&story.rules),
        "criteria": all(&story.criteria), "points": story.points, "status": story.status.as_deref().map(markdown),
        "dependencies": story.dependencies, "technical_notes": all(&story.technical_notes), "story_data": story.data,
    })
}

/// A scenario for a template.
pub fn view_of(scenario: &Scenario) -> Value {
    let steps: Vec<Value> =
        scenario.steps().iter().map(|(keyword, step)| json!([keyword, markdown(step)])).collect();
    json!({"id": scenario.id, "name": markdown(&scenario.name), "tags": scenario.tags, "steps": steps})
}
