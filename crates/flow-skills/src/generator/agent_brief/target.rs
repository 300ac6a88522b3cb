//! The subject of a brief: a story, a task, or a text that names neither.

use std::collections::HashSet;

use serde_json::Value;

use super::{Input, rows};
use crate::generator::report::{Kind, Project};
use crate::output::Result;
use crate::project_state::{Snapshot, Story, Task, id_prefix, recorded, say, text};
use crate::text::{line, title};

/// What a brief is about; all are `None` for a text that names no record.
#[derive(Debug, Default)]
pub(super) struct Target<'a> {
    pub(super) task: Option<&'a Task>,
    /// The story, or that of the task.
    pub(super) story: Option<&'a Story>,
    /// The text of the input, if it says more than an id.
    text: Option<&'a str>,
}

impl<'a> Target<'a> {
    /// The stories and tasks that a text lists by their ids; else the first one that it names; else the text.
    pub(super) fn all(given: &'a str, project: &'a Project) -> Result<Vec<Self>> {
        let given = given.trim();
        if let Some(target) = Self::one(given, project)? {
            return Ok(vec![target]);
        }
        let words: Vec<&str> = words(given).filter(|word| !matches!(*word, "" | "and")).collect();
        let mut targets = Vec::new();
        for word in &words {
            targets.extend(Self::one(word, project)?);
        }
        if !targets.is_empty() && targets.len() == words.len() {
            return Ok(targets);
        }
        if !targets.is_empty() {
            return Ok(vec![Self { text: Some(given), ..targets.swap_remove(0) }]);
        }
        let known = [Kind::Story, Kind::Task].into_iter().flat_map(|kind| project.known(kind));
        let prefixes: HashSet<&str> = known.clone().filter_map(id_prefix).collect();
        // A single word is an id in any form; a word of a text must have the form of the project's ids.
        let looks_like_id = |word: &&&str| {
            let prefix = id_prefix(word);
            prefix.is_some_and(|prefix| **word == given || prefixes.contains(prefix))
        };
        match words.iter().find(looks_like_id) {
            Some(id) => Err(project.snapshot.absent("task", id, "a story or a task", known)),
            None => Ok(vec![Self { text: Some(given), ..Self::default() }]),
        }
    }

    fn one(id: &str, project: &'a Project) -> Result<Option<Self>> {
        let snapshot = &project.snapshot;
        if let Some((_, id)) = project.find(Some(Kind::Story), id)? {
            return Ok(Some(Self { story: snapshot.story(&id), ..Self::default() }));
        }
        let Some((_, id)) = project.find(Some(Kind::Task), id)? else { return Ok(None) };
        let task = snapshot.task(&id);
        let story = task.and_then(|task| snapshot.story(task.story.as_deref()?));
        Ok(Some(Self { task, story, text: None }))
    }

    pub(super) fn id(&self) -> Option<&'a str> {
        let story = self.story.map(|story| story.id.as_str());
        self.task.map(|task| task.id.as_str()).or(story)
    }

    /// The id of its story, whether or not the project has it.
    pub(super) fn story_id(&self) -> Option<&'a str> {
        match self.task {
            Some(task) => task.story.as_deref(),
            None => self.story.map(|story| story.id.as_str()),
        }
    }

    pub(super) fn heading(&self) -> String {
        match (self.task, self.story) {
            (Some(task), _) => format!("{}: {}", task.id, title(&task.description)),
            (None, Some(story)) => format!("{}: {}", story.id, say::name(story)),
            (None, None) => title(self.text.and_then(|text| text.lines().next()).unwrap_or("")),
        }
    }

    /// The acceptance criteria: those of its story, and those of the input.
    pub(super) fn criteria(&self, input: &Input) -> Vec<String> {
        let mut criteria: Vec<String> = Vec::new();
        let recorded = self.story.into_iter().flat_map(|story| &story.criteria);
        for criterion in recorded.map(String::as_str).chain(input.criteria.iter().map(|one| &**one))
        {
            let criterion = line(criterion);
            if !criterion.is_empty() && !criteria.contains(&criterion) {
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
        add(self.text.map(line), "as given");
        add(input.goal.as_deref().map(line), "as given");
        if let Some(task) = self.task {
            let cite = rows::cite_task(task);
            add(Some(line(&task.description)), &cite);
            add(text(&task.record, &["prompt"]).map(|text| line(&text)), &cite);
        }
        if let Some(story) = self.story {
            let cite = rows::cite_story(story);
            add(Some(say::name(story)), &cite);
            add(recorded::description(&story.record), &cite);
            if let Some(epic) = story.epic.as_deref().and_then(|id| snapshot.epic(id)) {
                add(epic.goal.as_deref().map(line), &format!("epic {}", line(&epic.id)));
            }
        }
        goal
    }

    pub(super) fn scope(&self, input: &Input, snapshot: &Snapshot) -> Vec<Value> {
        let given = input.scope.iter().map(|text| rows::quote(text, "as given"));
        let mut scope: Vec<Value> = given.collect();
        if let Some(task) = self.task {
            let agent = task.agent.as_ref().map(|agent| format!(", agent {agent}"));
            let words = format!("task {}: {}{}", task.id, task.state, agent.unwrap_or_default());
            scope.push(rows::quote(&words, &rows::cite_task(task)));
        }
        if let Some(story) = self.story {
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
        }
        scope
    }
}

/// The words of a text without surrounding punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
}
