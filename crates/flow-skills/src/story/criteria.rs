//! The acceptance criteria of a story: those that it states, and those that patterns suggest for its verb.

use super::names::is_definition_of_done;
use super::scenario::{Criteria, Scenario, own_path};
use super::stem::stem;
use super::{Story, pattern};

/// Which criteria are generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suggest {
    /// Those of the pattern table, too.
    Patterns,
    /// Only the stated ones.
    Nothing,
}

/// The criteria of a story, and notes about them. Criteria that are written out already stand for the story's own path.
pub fn with(
    story: Story,
    mut scenarios: Vec<Scenario>,
    suggest: Suggest,
) -> (Criteria, Vec<String>) {
    if scenarios.is_empty() {
        scenarios.extend(own_path(&story));
    }
    state(&story, &mut scenarios);
    let mut notes = Vec::new();
    if suggest == Suggest::Patterns {
        notes.push(suggested(&story, &mut scenarios));
    }
    // The scenarios contain the criteria, so the story does not repeat them.
    let Story { id, title, role, want, benefit, data, technical_notes, .. } = story;
    notes.extend(
        technical_notes
            .iter()
            .filter(|text| !is_definition_of_done(text))
            .map(|text| format!("no criterion was made of {text:?} (add it to rules or criteria)")),
    );
    let story = Story { id, title, role, want, benefit, data, ..Story::default() };
    (Criteria { story, description: Vec::new(), scenarios }, notes)
}

/// Adds what the story states: each rule, each criterion.
fn state(story: &Story, scenarios: &mut Vec<Scenario>) {
    for (at, rule) in story.rules.iter().enumerate() {
        let number = at + 1;
        let mut scenario = Scenario::stated(format!("AC-R{number}"), rule, story);
        scenario.tags.push(format!("R{number}"));
        scenarios.push(scenario);
    }
    let criteria = story.criteria.iter().enumerate();
    scenarios.extend(
        criteria.map(|(at, text)| Scenario::stated(format!("AC-C{}", at + 1), text, story)),
    );
}

/// Adds the cases of the story's patterns. Returns a note that lists them.
fn suggested(story: &Story, scenarios: &mut Vec<Scenario>) -> String {
    let classes = match story.action() {
        Some(action) => pattern::matching(action),
        None => {
            pattern::mentioned(story.want.as_deref().unwrap_or(&story.title)).into_iter().collect()
        }
    };
    if classes.is_empty() {
        return "no pattern knows the verb, so no cases are suggested".to_owned();
    }
    for class in &classes {
        for case in &class.cases {
            let mut scenario = Scenario::suggested(&class.name, case, story);
            if !scenarios.iter().any(|known| known.id == scenario.id) {
                scenario.tags.extend(cited(&case.rule, &story.rules));
                scenarios.push(scenario);
            }
        }
    }
    let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
    format!("the suggested cases are of the pattern {}", names.join(", "))
}

/// The stated rules on the subject of a suggested case.
fn cited(case: &str, rules: &[String]) -> Vec<String> {
    let words: Vec<String> = case.split('-').map(stem).collect();
    let is_same = |rule: &str| {
        let said: Vec<String> = rule.split(|c: char| !c.is_alphanumeric()).map(stem).collect();
        words.iter().all(|word| said.contains(word))
    };
    let found = rules.iter().enumerate().filter(|(_, rule)| is_same(rule));
    found.map(|(at, _)| format!("R{}", at + 1)).collect()
}

/// What a story lacks for its criteria, worded as what to add.
pub fn questions(story: &Story) -> Vec<String> {
    let all = [
        (story.role.is_none(), "role: not given (add role=shopper)"),
        (story.want.is_none(), "want: not given (add want=\"to reset my password\")"),
        (story.benefit.is_none(), "benefit: not given (add benefit=\"I can get back in\")"),
    ];
    let open = all.into_iter().filter(|(is_open, _)| *is_open);
    open.map(|(_, question)| question.to_owned()).collect()
}
