//! What a brief is about: a story, a task, or a text that names neither.

use serde_json::Value;

use super::{Board, Story, Task, line, rows, say, title};
use crate::project_state::recorded;
use crate::project_state::text;
use crate::story::read;

/// What a brief is about.
#[derive(Debug)]
pub(super) enum Target<'a> {
    /// A text that names no record.
    Text(&'a str),
    /// A story.
    Story(&'a Story),
    /// A task, and its story.
    Task(&'a Task, Option<&'a Story>),
}

impl<'a> Target<'a> {
    /// The first story or task that a text names by its id.
    pub(super) fn find(task: &'a str, board: &'a Board) -> Self {
        let one = |id: &str| {
            let story = board.story(id).map(Self::Story);
            let is_meant = |task: &&Task| task.id == id;
            let task = || board.tasks.iter().find(is_meant);
            story.or_else(|| {
                let task = task()?;
                Some(Self::Task(task, task.story.as_deref().and_then(|id| board.story(id))))
            })
        };
        one(task).or_else(|| words(task).find_map(one)).unwrap_or(Self::Text(task))
    }

    /// The id of what it is about.
    pub(super) fn about(&self) -> Option<&'a str> {
        match self {
            Self::Text(_) => None,
            Self::Story(story) => Some(&story.id),
            Self::Task(task, _) => Some(&task.id),
        }
    }

    pub(super) fn story(&self) -> Option<&'a Story> {
        match self {
            Self::Text(_) => None,
            Self::Story(story) => Some(story),
            Self::Task(_, story) => *story,
        }
    }

    /// The id of its story, whether the project has that or not.
    pub(super) fn story_id(&self) -> Option<&'a str> {
        match self {
            Self::Task(task, _) => task.story.as_deref(),
            _ => self.story().map(|story| story.id.as_str()),
        }
    }

    /// When its story is accepted.
    pub(super) fn criteria(&self) -> Vec<String> {
        let criteria = self.story().map_or(&[][..], |story| story.criteria.as_slice());
        criteria.iter().map(|text| line(text)).filter(|text| !text.is_empty()).collect()
    }

    /// Words that are ids of stories and that the project does not have.
    pub(super) fn unknown(&self) -> Vec<&'a str> {
        let Self::Text(text) = self else { return Vec::new() };
        words(text).filter(|word| read::is_id(word)).collect()
    }

    /// What is to be reached, in the words of the records.
    pub(super) fn goal(&self, board: &Board) -> Vec<Value> {
        let mut found = Vec::new();
        let mut say = |words: Option<String>, cite: &str| {
            found.extend(words.map(|words| rows::said(&words, cite)));
        };
        match self {
            Self::Text(text) => say(Some((*text).to_owned()), "the task as given"),
            Self::Story(_) => {}
            Self::Task(task, _) => {
                let cite = rows::cite_task(task);
                say(Some(line(&task.description)), &cite);
                say(text(&task.record, &["prompt"]).map(|text| line(&text)), &cite);
            }
        }
        let Some(story) = self.story() else { return found };
        let cite = format!("story {}", line(&story.id));
        say(Some(say::name(story)), &cite);
        say(recorded::told(&story.record), &cite);
        let epic = story.epic.as_deref().and_then(|id| board.epic(id));
        if let Some(epic) = epic {
            say(epic.goal.as_deref().map(line), &format!("epic {}", line(&epic.id)));
        }
        found
    }

    /// What belongs to it, as far as the records say.
    pub(super) fn scope(&self, board: &Board) -> Vec<Value> {
        let mut found = Vec::new();
        if let Self::Task(task, _) = self {
            let agent = task.agent.as_deref().unwrap_or("nobody");
            let words = format!("task {}: {}, of {agent}", task.id, task.state);
            found.push(rows::said(&words, &rows::cite_task(task)));
        }
        let Some(story) = self.story() else { return found };
        let cite = format!("story {}", line(&story.id));
        let mut facts = vec![story.status.clone()];
        facts.extend(story.owner.as_ref().map(|owner| format!("owner {owner}")));
        facts.extend(story.priority.as_ref().map(|priority| format!("priority {priority}")));
        facts.extend(story.effort.map(|effort| effort.to_string()));
        found.push(rows::said(&format!("story {}: {}", story.id, facts.join(", ")), &cite));
        if let Some(id) = &story.epic {
            let name = board.epic(id).map(|epic| title(&epic.title)).unwrap_or_default();
            found.push(rows::said(&format!("part of {id} {name}"), &cite));
        }
        found
    }
}

/// The words of a text without the marks around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
}
