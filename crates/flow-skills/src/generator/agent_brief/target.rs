//! The subject of a brief: a story, a task, or a text that names neither.

use std::collections::HashSet;

use serde_json::Value;

use super::{Input, Line, Snapshot, Story, Task, line, rows, say, title};
use crate::output::Result;
use crate::project_state::recorded;
use crate::project_state::{id_prefix, text};

#[derive(Debug)]
pub(super) enum Target<'a> {
    /// A text that names no record.
    Text(&'a str),
    Story(&'a Story),
    Task(&'a Task, Option<&'a Story>),
}

impl<'a> Target<'a> {
    /// The first story or task whose id a text names.
    pub(super) fn find(task: &'a str, snapshot: &'a Snapshot) -> Result<Self> {
        let story = |task: &Task| snapshot.story(task.story.as_deref()?);
        let one = |id: &str| {
            let task = || snapshot.tasks.iter().find(|task| task.id == id);
            let task = || task().map(|task| Self::Task(task, story(task)));
            snapshot.story(id).map(Self::Story).or_else(task)
        };
        if let Some(found) = one(task.trim()).or_else(|| words(task).find_map(one)) {
            return Ok(found);
        }
        let stories = snapshot.stories.iter().map(|story| story.id.as_str());
        let tasks = snapshot.tasks.iter().map(|task| task.id.as_str());
        let known: Vec<&str> = stories.chain(tasks).collect();
        let prefixes: HashSet<&str> = known.iter().filter_map(|id| id_prefix(id)).collect();
        // A single word is an id in any form; a word of a text must have the form of the project's ids.
        let looks_like_id = |word: &&str| {
            let is_alone = *word == task.trim();
            id_prefix(word).is_some_and(|prefix| is_alone || prefixes.contains(prefix))
        };
        match words(task).find(looks_like_id) {
            Some(id) => Err(snapshot.absent("task", id, "a story or a task", known.into_iter())),
            None => Ok(Self::Text(task)),
        }
    }

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

    /// The id of its story, whether or not the project has it.
    pub(super) fn story_id(&self) -> Option<&'a str> {
        match self {
            Self::Task(task, _) => task.story.as_deref(),
            _ => self.story().map(|story| story.id.as_str()),
        }
    }

    /// The acceptance criteria: those of its story, and those given.
    pub(super) fn criteria(&self, given: &[Line]) -> Vec<String> {
        let recorded = self.story().map_or(&[][..], |story| story.criteria.as_slice());
        let recorded = recorded.iter().map(|text| line(text)).filter(|text| !text.is_empty());
        let mut criteria: Vec<String> = recorded.collect();
        for criterion in given.iter().map(ToString::to_string) {
            if !criteria.contains(&criterion) {
                criteria.push(criterion);
            }
        }
        criteria
    }

    pub(super) fn goal(&self, input: &Input, snapshot: &Snapshot) -> Vec<Value> {
        let mut found = Vec::new();
        let mut add = |words: Option<String>, cite: &str| {
            found.extend(words.map(|words| rows::quote(&words, cite)));
        };
        let is_more = self.about() != Some(input.task.trim());
        add(is_more.then(|| line(&input.task)), "as given");
        add(input.goal.as_deref().map(line), "as given");
        if let Self::Task(task, _) = self {
            let cite = rows::cite_task(task);
            add(Some(line(&task.description)), &cite);
            add(text(&task.record, &["prompt"]).map(|text| line(&text)), &cite);
        }
        let Some(story) = self.story() else { return found };
        let cite = format!("story {}", line(&story.id));
        add(Some(say::name(story)), &cite);
        add(recorded::description(&story.record), &cite);
        if let Some(epic) = story.epic.as_deref().and_then(|id| snapshot.epic(id)) {
            add(epic.goal.as_deref().map(line), &format!("epic {}", line(&epic.id)));
        }
        found
    }

    pub(super) fn scope(&self, input: &Input, snapshot: &Snapshot) -> Vec<Value> {
        let mut found: Vec<Value> =
            input.scope.iter().map(|text| rows::quote(text, "as given")).collect();
        if let Self::Task(task, _) = self {
            let agent = task.agent.as_ref().map(|agent| format!(", agent {agent}"));
            let words = format!("task {}: {}{}", task.id, task.state, agent.unwrap_or_default());
            found.push(rows::quote(&words, &rows::cite_task(task)));
        }
        let Some(story) = self.story() else { return found };
        let cite = format!("story {}", line(&story.id));
        let mut facts = vec![story.status.clone()];
        facts.extend(story.owner.as_ref().map(|owner| format!("owner {owner}")));
        facts.extend(story.priority.as_ref().map(|priority| format!("priority {priority}")));
        facts.extend(story.effort.map(|effort| effort.to_string()));
        if let Some(id) = &story.epic {
            let name = snapshot.epic(id).map(|epic| title(&epic.title));
            let name = name.filter(|name| !name.eq_ignore_ascii_case(id)).unwrap_or_default();
            facts.push(format!("part of {id} {name}").trim_end().to_owned());
        }
        found.push(rows::quote(&facts.join(", "), &cite));
        found
    }
}

/// The words of a text without surrounding punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
}
