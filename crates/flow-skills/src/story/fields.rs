//! The fields that describe a story, shared by the skills over stories: `#[serde(flatten)] fields: StoryFields` in
//! their input. They are also the labels of a story's text.

use schemars::JsonSchema;
use serde::Deserialize;

use super::effort::Effort;
use super::scenario::with_steps;
use super::{Story, add, data, sentence, without_number};
use crate::input::values::{Block, Int, Line, TextOrList, undescribed};
use crate::output::{Result, bad_text};
use crate::text::{after, is_id};

/// The given fields of a story.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct StoryFields {
    /// The title. Default: derived from what is wanted.
    #[schemars(extend("x-title" = true))]
    pub(crate) title: Option<Line>,
    /// The id, such as US-0001.
    pub(crate) id: Option<Id>,
    /// Who wants it, such as shopper.
    #[schemars(extend("x-labels" = ["As a", "As an", "As"]))]
    pub(crate) role: Option<Line>,
    /// What they want, such as "to reset my password".
    #[schemars(extend("x-labels" = ["I want", "I need", "We want"]))]
    pub(crate) want: Option<Line>,
    /// The benefit, such as "I can get back in".
    #[schemars(extend("x-labels" = ["So that", "In order to"]))]
    pub(crate) benefit: Option<Line>,
    /// The rules, each in a sentence.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["Rule", "Business rules", "Constraints", "Requirements", "Functional requirements"]))]
    pub(crate) rules: Vec<Line>,
    /// The acceptance criteria, each in a sentence or as "Given …, when …, then …".
    #[serde(default)]
    #[schemars(extend("x-labels" = ["Acceptance criteria", "Acceptance", "AC", "Examples", "Scenarios"]))]
    pub(crate) criteria: Vec<Line>,
    /// The story points.
    #[schemars(extend("x-labels" = ["Story points"]))]
    pub(crate) points: Option<Int<0, 100>>,
    /// The estimated working time, such as 4h or 2d.
    #[schemars(extend("x-labels" = ["Effort", "Size"]))]
    pub(crate) estimate: Option<Line>,
    /// The status, such as draft or ready.
    pub(crate) status: Option<Line>,
    /// The stories that it depends on, by their ids.
    #[serde(default)]
    #[schemars(extend("x-commas" = true, "x-labels" = ["Depends on", "Depends", "Blocked by"]))]
    pub(crate) dependencies: Vec<Id>,
    /// The epic that it belongs to, by its id.
    #[schemars(extend("x-labels" = ["Epic id"]))]
    pub(crate) epic: Option<Line>,
    /// The owner.
    #[schemars(extend("x-labels" = ["Assignee", "Assigned to"]))]
    pub(crate) owner: Option<Line>,
    /// The priority, such as P1 or high.
    pub(crate) priority: Option<Line>,
    /// Notes for implementers.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["Notes", "Note"]))]
    pub(crate) technical_notes: Vec<Line>,
    /// The data of the story: entities such as "Reset: email email, minutes int", or samples in JSON.
    #[schemars(extend("x-labels" = ["Test data"]))]
    pub(crate) data: Option<TextOrList<Block>>,
}

impl StoryFields {
    /// Refuses fields that contradict the sentence of a story. A part of what the other says does not.
    pub(crate) fn check_against_sentence(&self, story: &Story) -> Result<()> {
        for (field, value, stated) in [
            ("role", &self.role, &story.role),
            ("want", &self.want, &story.want),
            ("benefit", &self.benefit, &story.benefit),
        ] {
            let (Some(value), Some(stated)) = (value, stated) else { continue };
            let (value_lower, stated_lower) = (value.to_lowercase(), stated.to_lowercase());
            if !value_lower.contains(&stated_lower) && !stated_lower.contains(&value_lower) {
                let allowed = format!("left out: the story says {stated:?}");
                return Err(bad_text(field, value, &allowed));
            }
        }
        Ok(())
    }

    /// A note if the points replace those of a text.
    pub(crate) fn replaced_points(&self, story: &Story) -> Option<String> {
        let (points, stated) = (self.points.as_ref()?.get().unsigned_abs(), story.points?);
        (points != stated).then(|| format!("points=… replaces {stated} of the text"))
    }

    /// Sets the given fields of a story; lists are extended.
    pub(crate) fn apply(self, story: &mut Story) {
        let before = std::mem::replace(story, self.story());
        story.complete(before);
    }

    /// The story of the given fields.
    pub(crate) fn story(self) -> Story {
        let text = |line: Line| line.into_inner();
        let given = self.points.map(|points| points.get().unsigned_abs());
        let (points, estimate) = sized(given, self.estimate.as_deref());
        let mut story = Story {
            id: self.id.map(|id| id.0),
            role: self.role.map(|role| bare_role(&role)),
            want: self.want.map(|want| wanted(&want)),
            benefit: self.benefit.map(text),
            points,
            estimate,
            status: self.status.map(|status| flow_model::record::status(&status).into_owned()),
            dependencies: self.dependencies.into_iter().map(|id| id.0).collect(),
            epic: self.epic.map(text),
            owner: self.owner.map(text),
            priority: self.priority.map(text),
            technical_notes: self.technical_notes.into_iter().map(text).collect(),
            ..Story::default()
        };
        if let Some(title) = self.title {
            story.set_title(&title);
        }
        add(&mut story.rules, self.rules.iter().map(|rule| without_number(rule).to_owned()));
        add(&mut story.criteria, with_steps(self.criteria.into_iter().map(text)));
        add_data(&mut story.data, self.data);
        story
    }
}

/// The story points and the estimate; an estimate in points is the points, unless these are given too.
fn sized(points: Option<u64>, estimate: Option<&str>) -> (Option<u64>, Option<String>) {
    let estimated = estimate.and_then(Effort::parse).and_then(Effort::whole_points);
    match (points, estimated) {
        (None, Some(_)) => (estimated, None),
        _ => (points, estimate.map(str::to_owned)),
    }
}

/// A role without its article and a comma at its end.
fn bare_role(role: &str) -> String {
    let role = role.trim_end_matches(',');
    after(role, &["a ", "an ", "the "]).unwrap_or(role).trim().to_owned()
}

/// A want in the form after "I want".
fn wanted(want: &str) -> String {
    let want = want.trim_end_matches(',');
    after(want, &sentence::WANTS).unwrap_or(want).to_owned()
}

/// An id, such as US-0001.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "Line")]
#[schemars(transform = undescribed)]
pub(crate) struct Id(pub(crate) String);

impl TryFrom<Line> for Id {
    type Error = &'static str;

    fn try_from(text: Line) -> Result<Self, &'static str> {
        let id = text.trim_matches(['*', '`', '#', '[', ']']);
        let upper = id.to_uppercase();
        let id = [id, &upper].into_iter().find(|id| is_id(id));
        id.map(|id| Self(id.to_owned())).ok_or("an id such as US-0001")
    }
}

/// Adds data that is given as text, or as a list of texts.
pub(crate) fn add_data(lines: &mut Vec<String>, given: Option<TextOrList<Block>>) {
    let texts = match given {
        Some(TextOrList::Text(text)) => vec![text],
        Some(TextOrList::Value(texts)) => texts,
        None => Vec::new(),
    };
    for text in texts {
        data::add(lines, &text);
    }
}
