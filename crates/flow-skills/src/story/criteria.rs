//! The acceptance criteria of a story: those that it states, or its own path with blanks.

use super::Story;
use super::scenario::{Criteria, Scenario, blanks, own_path};

/// The criteria of a story, and notes about what is not one. A story that states nothing has its own path, and a blank
/// each for a failure, a limit and a permission.
pub fn with(story: Story, mut scenarios: Vec<Scenario>) -> (Criteria, Vec<String>) {
    let is_bare = scenarios.is_empty() && story.rules.is_empty() && story.criteria.is_empty();
    if is_bare || scenarios.is_empty() && story.want.is_some() {
        scenarios.push(own_path(&story));
    }
    if is_bare && let Some(path) = scenarios.first().cloned() {
        scenarios.extend(blanks(&path));
    }
    let rules = story.rules.iter().enumerate();
    scenarios.extend(rules.map(|(at, rule)| Scenario::stated(format!("AC-R{}", at + 1), rule)));
    let criteria = story.criteria.iter().enumerate();
    scenarios.extend(criteria.map(|(at, text)| Scenario::stated(format!("AC-C{}", at + 1), text)));
    // A document lists its rules at its end.
    scenarios.sort_by_key(|scenario| scenario.as_rule().is_some());
    let notes = story.technical_notes.iter();
    let notes = notes
        .map(|text| format!("no criterion was made of {text:?} (add it to rules or criteria)"))
        .collect();
    // The scenarios contain the criteria, so the story does not repeat them.
    let Story { id, title, role, want, benefit, data, .. } = story;
    let story = Story { id, title, role, want, benefit, data, ..Story::default() };
    (Criteria { story, description: Vec::new(), scenarios }, notes)
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
