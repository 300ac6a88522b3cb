//! The acceptance criteria of a story: what it states, and for a story that states none its own path, with blanks for what
//! its sentence does not say.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::scenario::Scenario;
use super::{Story, article};
use crate::input::kind::{Kind, Payload};
use crate::text::{capital, title, unused_with};

/// The tag of a criterion whose outcome is a blank.
pub const OPEN: &str = "open";
/// The id of the criterion of the story's own path.
pub const STORY: &str = "AC-story";

/// A story and its acceptance criteria.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Criteria {
    /// The story.
    pub story: Story,
    /// The criteria.
    pub scenarios: Vec<Scenario>,
}

impl Payload for Criteria {
    const KIND: Kind = Kind::Criteria;
}

impl Criteria {
    /// The criteria of a story beside those that are scenarios already, and notes about what is not one.
    pub fn of(mut story: Story, mut scenarios: Vec<Scenario>) -> (Self, Vec<String>) {
        story.complete_title();
        let states_none = scenarios.is_empty() && !story.has_criteria();
        if scenarios.is_empty() && (states_none || story.want.is_some()) {
            let path = own_path(&story);
            let blanks = states_none.then(|| blanks(&path.steps[1]));
            scenarios.push(path);
            scenarios.extend(blanks.into_iter().flatten());
        }
        for (kind, texts) in [('R', &story.rules), ('C', &story.criteria)] {
            scenarios.extend((1..).zip(texts).map(|(at, text)| Scenario::stated(kind, at, text)));
        }
        let mut taken = HashSet::new();
        for (at, scenario) in scenarios.iter_mut().enumerate() {
            if scenario.id.is_empty() {
                scenario.id = format!("AC-{}", at + 1);
            }
            scenario.id = unused_with("-", &scenario.id, |id| taken.insert(id.to_owned()));
        }
        if story.title.is_empty() {
            let name = scenarios.first().map_or("", |scenario| &scenario.name);
            story.title = title(if name.is_empty() { "Acceptance criteria" } else { name });
        }
        let note =
            |text| format!("no criterion was made of {text:?} (add it to rules or criteria)");
        let notes = story.technical_notes.iter().map(note).collect();
        // The scenarios contain the criteria, so the story does not repeat them.
        let Story { id, title, role, want, benefit, data, .. } = story;
        let story = Story { id, title, role, want, benefit, data, ..Story::default() };
        (Self { story, scenarios }, notes)
    }
}

/// A note on what a story says that its criteria do not show.
pub(crate) fn unused(story: &Story) -> Option<String> {
    let members = [
        ("points", story.points.is_some()),
        ("estimate", story.estimate.is_some()),
        ("status", story.status.as_ref().is_some_and(|status| status != "draft")),
        ("dependencies", !story.dependencies.is_empty()),
        ("epic", story.epic.is_some()),
        ("owner", story.owner.is_some()),
        ("priority", story.priority.is_some()),
    ];
    let named: Vec<&str> =
        members.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| *name).collect();
    (!named.is_empty())
        .then(|| format!("left out, as criteria do not show them: {}", named.join(", ")))
}

/// What a story lacks for its criteria, worded as what to add.
pub(crate) fn questions(story: &Story) -> Vec<String> {
    let mut questions = Vec::new();
    for (part, question) in [
        (&story.role, "role: not given (add role=shopper)"),
        (&story.want, "want: not given (add want=\"to reset my password\")"),
        (&story.benefit, "benefit: not given (add benefit=\"I can get back in\")"),
    ] {
        if part.is_none() {
            questions.push(question.to_owned());
        }
    }
    questions
}

/// The story's own path in the first person, with blanks for what its sentence does not say.
pub(crate) fn own_path(story: &Story) -> Scenario {
    let who = match &story.role {
        Some(role) => format!("I am {}{role}", article(role)),
        None => "<who I am>".to_owned(),
    };
    let want = story.want.as_deref().unwrap_or(&story.title);
    let action = match want.strip_prefix("to ") {
        Some(action) => format!("I {}", action.strip_prefix("be able to ").unwrap_or(action)),
        None => format!("<what I do for this: {want}>"),
    };
    let outcome = story.benefit.as_deref().unwrap_or("<what I have then>");
    let steps = vec![format!("Given {who}"), format!("When {action}"), format!("Then {outcome}")];
    Scenario { id: STORY.into(), name: story.title.clone(), steps, ..Scenario::default() }
}

/// The criteria that a story without any may need, as blanks: a failure, a limit, a permission. `when` is the step of its
/// own path.
fn blanks(when: &str) -> [Scenario; 3] {
    [
        ("failure", "what can fail", "what happens when it fails"),
        ("limit", "which limit is exceeded", "what happens above the limit"),
        ("permission", "who may not do this", "what they see instead"),
    ]
    .map(|(name, given, then)| Scenario {
        id: format!("AC-{name}"),
        name: capital(name),
        tags: vec![OPEN.to_owned()],
        steps: vec![format!("Given <{given}>"), when.to_owned(), format!("Then <{then}>")],
    })
}
