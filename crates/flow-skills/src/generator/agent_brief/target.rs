//! The subject of a brief: a story, a task, or a text that names neither.

use std::collections::HashSet;

use serde_json::Value;

use super::{Input, rows};
use crate::generator::report::{Kind, Names};
use crate::input::values::Line;
use crate::output::Result;
use crate::project_state::{Snapshot, Story, Task, id_prefix, recorded, say, text};
use crate::text::{is_id, line, title};

#[derive(Debug)]
pub(super) enum Target<'a> {
    /// A text that names no record.
    Text(&'a str),
    Story(&'a Story),
    Task(&'a Task, Option<&'a Story>),
}

impl<'a> Target<'a> {
    /// The stories and tasks that a text lists by their ids; else the first one that it names; else the text.
    pub(super) fn all(text: &'a str, names: &Names<'a>) -> Result<Vec<Self>> {
        let snapshot = names.snapshot;
        let one = |id: &str| {
            if let Some((_, id)) = names.find(Some(Kind::Story), id) {
                return snapshot.story(id).map(Self::Story);
            }
            let (_, id) = names.find(Some(Kind::Task), id)?;
            let task = snapshot.tasks.iter().find(|task| task.id == id)?;
            Some(Self::Task(task, snapshot.story(task.story.as_deref().unwrap_or_default())))
        };
        if let Some(target) = one(text.trim()) {
            return Ok(vec![target]);
        }
        let listed = text.split([',', ' ']).filter(|word| !matches!(*word, "" | "and"));
        let listed: Vec<Option<Self>> = listed.map(one).collect();
        if listed.iter().all(Option::is_some) && !listed.is_empty() {
            return Ok(listed.into_iter().flatten().collect());
        }
        if let Some(target) = words(text).find_map(one) {
            return Ok(vec![target]);
        }
        let stories = snapshot.stories.iter().map(|story| story.id.as_str());
        let tasks = snapshot.tasks.iter().map(|task| task.id.as_str());
        let known: Vec<&str> = stories.chain(tasks).collect();
        let prefixes: HashSet<&str> = known.iter().filter_map(|id| id_prefix(id)).collect();
        // A single word is an id in any form; a word of a text must have the form of the project's ids.
        let looks_like_id = |word: &&str| {
            let is_alone = *word == text.trim();
            id_prefix(word).is_some_and(|prefix| is_alone || prefixes.contains(prefix))
        };
        match words(text).find(looks_like_id) {
            Some(id) => Err(snapshot.absent("task", id, "a story or a task", known.into_iter())),
            None => Ok(vec![Self::Text(text)]),
        }
    }

    pub(super) fn about(&self) -> Option<&'a str> {
        match self {
            Self::Text(_) => None,
            Self::Story(story) => Some(&story.id),
            Self::Task(task, _) => Some(&task.id),
        }
    }

    pub(super) fn heading(&self) -> String {
        match self {
            Self::Text(text) => title(text.lines().next().unwrap_or_default()),
            Self::Story(story) => format!("{}: {}", story.id, say::name(story)),
            Self::Task(task, _) => format!("{}: {}", task.id, title(&task.description)),
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

    /// The acceptance criteria: those of its story, and those of the input.
    pub(super) fn criteria(&self, more: &[Line]) -> Vec<String> {
        let recorded = self.story().map_or(&[][..], |story| story.criteria.as_slice());
        let recorded = recorded.iter().map(|text| line(text)).filter(|text| !text.is_empty());
        let mut criteria: Vec<String> = recorded.collect();
        for criterion in more.iter().map(ToString::to_string) {
            if !criteria.contains(&criterion) {
                criteria.push(criterion);
            }
        }
        criteria
    }

    pub(super) fn goal(&self, input: &Input, snapshot: &Snapshot) -> Vec<Value> {
        let mut goal = Vec::new();
        let mut add = |words: Option<String>, cite: &str| {
            goal.extend(words.map(|words| rows::quote(&words, cite)));
        };
        let is_id = |word: &str| is_id(&word.to_uppercase()) || matches!(word, "" | "and");
        let is_more = !input.task.split([',', ' ']).all(is_id)
            && !self.about().is_some_and(|id| id.eq_ignore_ascii_case(input.task.trim()));
        add(is_more.then(|| line(&input.task)), "as given");
        add(input.goal.as_deref().map(line), "as given");
        if let Self::Task(task, _) = self {
            let cite = rows::cite_task(task);
            add(Some(line(&task.description)), &cite);
            add(text(&task.record, &["prompt"]).map(|text| line(&text)), &cite);
        }
        let Some(story) = self.story() else { return goal };
        let cite = rows::cite_story(story);
        add(Some(say::name(story)), &cite);
        add(recorded::description(&story.record), &cite);
        if let Some(epic) = story.epic.as_deref().and_then(|id| snapshot.epic(id)) {
            add(epic.goal.as_deref().map(line), &format!("epic {}", line(&epic.id)));
        }
        goal
    }

    pub(super) fn scope(&self, input: &Input, snapshot: &Snapshot) -> Vec<Value> {
        let mut scope: Vec<Value> =
            input.scope.iter().map(|text| rows::quote(text, "as given")).collect();
        if let Self::Task(task, _) = self {
            let agent = task.agent.as_ref().map(|agent| format!(", agent {agent}"));
            let words = format!("task {}: {}{}", task.id, task.state, agent.unwrap_or_default());
            scope.push(rows::quote(&words, &rows::cite_task(task)));
        }
        let Some(story) = self.story() else { return scope };
        let mut facts = vec![story.status.clone()];
        facts.extend(story.owner.as_ref().map(|owner| format!("owner {owner}")));
        facts.extend(story.priority.as_ref().map(|priority| format!("priority {priority}")));
        facts.extend(story.effort.map(|effort| effort.to_string()));
        if let Some(id) = &story.epic {
            let name = snapshot.epic(id).map(|epic| title(&epic.title)).unwrap_or_default();
            let name = if name.eq_ignore_ascii_case(id) { String::new() } else { name };
            facts.push(format!("part of {id} {name}").trim_end().to_owned());
        }
        scope.push(rows::quote(&facts.join(", "), &rows::cite_story(story)));
        scope
    }
}

/// The words of a text without surrounding punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
}
