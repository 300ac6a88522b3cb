//! The plan of a new epic: unused ids, and the dependencies of each story.

use std::collections::{HashMap, HashSet};

use super::plan::{Item, Outside, Plan, what};
use super::text::{Draft, Line};
use crate::output::{Result, bad_text};
use crate::project_state::graph::Graph;
use crate::project_state::{Snapshot, Story};
use crate::story::names::next_number;

/// Largest number of dependencies of a story.
const MOST_NEEDS: usize = 100;

/// Assigns ids and checks the dependencies of each story.
///
/// # Errors
/// When an id is in use, or a dependency does not exist or is part of a cycle.
pub(super) fn plan(draft: &Draft, snapshot: Option<&Snapshot>) -> Result<Plan> {
    let recorded = snapshot.map_or(&[][..], |snapshot| &snapshot.stories);
    let known: HashMap<&str, &Story> =
        recorded.iter().map(|story| (story.id.as_str(), story)).collect();
    let ids = ids(&draft.stories, &known)?;
    let mut open = Vec::new();
    let mut outside = Vec::new();
    for (at, line) in draft.stories.iter().enumerate() {
        let needs = needs(line, &ids[at], &ids, &known)?;
        for need in
            needs.iter().filter_map(|id| known.get(id.as_str())).filter(|need| need.is_open())
        {
            outside.push(Outside {
                id: ids[at].clone(),
                needs: need.id.clone(),
                what: Some(what(need)),
            });
        }
        open.push(Item {
            id: ids[at].clone(),
            title: line.title.clone(),
            size: line.size,
            status: "draft".to_owned(),
            owner: None,
            needs,
            criteria: line.criteria.clone(),
        });
    }
    refuse_cycles(&open, recorded)?;
    let epics =
        snapshot.into_iter().flat_map(|snapshot| &snapshot.epics).map(|epic| epic.id.as_str());
    let id = match &draft.id {
        Some(id) => id.clone(),
        None => format!("EP-{:04}", next_number("EP-", epics)?),
    };
    let (title, goal) = (draft.title.clone(), draft.goal.clone());
    let status = "draft".to_owned();
    Ok(Plan { id, title, goal, open, outside, status, is_new: true, ..Plan::default() })
}

/// The ids of the stories: the given ones, else the next unused ones.
fn ids(stories: &[Line], known: &HashMap<&str, &Story>) -> Result<Vec<String>> {
    let mut taken = HashSet::new();
    for id in stories.iter().filter_map(|story| story.id.as_deref()) {
        if known.contains_key(id) || !taken.insert(id) {
            return Err(bad_text("epic", id, "ids that are free, each once"));
        }
    }
    let stated = taken.iter().copied().chain(known.keys().copied());
    let mut number = next_number("US-", stated)?;
    let mut free = || {
        number += 1;
        format!("US-{:04}", number - 1)
    };
    let all = stories.iter().map(|story| story.id.clone().unwrap_or_else(&mut free)).collect();
    Ok(all)
}

/// The ids that a line depends on, each once.
fn needs(
    line: &Line,
    item: &str,
    ids: &[String],
    known: &HashMap<&str, &Story>,
) -> Result<Vec<String>> {
    let mut needs: Vec<String> = Vec::new();
    for word in &line.after {
        let at = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let id = match at {
            Some(at) => ids.get(at),
            None => Some(word).filter(|id| ids.contains(id) || known.contains_key(id.as_str())),
        };
        let allowed =
            format!("a number of the list from 1 to {}, or a story of the project", ids.len());
        let id = id.ok_or_else(|| bad_text("epic", &format!("{item} after {word}"), &allowed))?;
        if !needs.contains(id) {
            needs.push(id.clone());
        }
    }
    if needs.len() > MOST_NEEDS {
        return Err(bad_text("epic", item, &format!("after at most {MOST_NEEDS} stories")));
    }
    Ok(needs)
}

/// Refuses cycles, in the epic or through the project's stories.
fn refuse_cycles(items: &[Item], recorded: &[Story]) -> Result<()> {
    let rest = recorded.iter().map(|story| (story.id.as_str(), story.needs.as_slice()));
    let items_of_plan = items.iter().map(|item| (item.id.as_str(), item.needs.as_slice()));
    match Graph::new(items_of_plan.chain(rest)).cycle_below(items.len()) {
        Some(ids) => Err(bad_text("epic", &ids, "stories that do not need each other in a cycle")),
        None => Ok(()),
    }
}
