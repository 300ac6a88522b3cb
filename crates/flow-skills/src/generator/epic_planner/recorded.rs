//! The plan of an epic of the project.

use std::collections::HashMap;

use super::plan::{Item, Origin, Outside, Plan};
use crate::project_state::say::name;
use crate::project_state::{Epic, Snapshot, Story};
use crate::text::{line, title};

/// The plan of the epic's recorded stories.
pub(super) fn plan(snapshot: &Snapshot, epic: &Epic) -> Plan {
    let known: HashMap<&str, &Story> =
        snapshot.stories.iter().map(|story| (story.id.as_str(), story)).collect();
    let own = snapshot.stories.iter().filter(|story| story.epic.as_ref() == Some(&epic.id));
    let (done, rest): (Vec<&Story>, Vec<&Story>) = own.partition(|story| story.is_completed());
    let (open, put_off): (Vec<&Story>, Vec<&Story>) =
        rest.into_iter().partition(|story| is_work(story));
    Plan {
        origin: Origin::Records,
        id: epic.id.clone(),
        title: title(&epic.title),
        status: epic.status.clone(),
        owner: epic.owner.clone(),
        goal: epic.goal.as_deref().map(line).filter(|goal| !goal.is_empty()),
        outside: open.iter().flat_map(|story| outside(story, epic, &known)).collect(),
        open: open.into_iter().map(|story| item(story, &known)).collect(),
        done: done.into_iter().map(|story| item(story, &known)).collect(),
        put_off: put_off.into_iter().map(|story| item(story, &known)).collect(),
    }
}

/// Whether a story is open work: neither completed nor abandoned nor on hold.
fn is_work(story: &Story) -> bool {
    story.is_open() && !story.is_on_hold()
}

/// A story, without dependencies that are completed, on hold or abandoned.
fn item(story: &Story, known: &HashMap<&str, &Story>) -> Item {
    let is_met = |id: &&String| known.get(id.as_str()).is_some_and(|need| !is_work(need));
    Item {
        id: line(&story.id),
        title: name(story),
        size: story.effort,
        status: story.status.clone(),
        owner: story.owner.clone(),
        needs: story.needs.iter().filter(|id| !is_met(id)).map(|id| line(id)).collect(),
        criteria: story.criteria.clone(),
    }
}

/// The dependencies of a story that are not completed and not in its epic.
fn outside(story: &Story, epic: &Epic, known: &HashMap<&str, &Story>) -> Vec<Outside> {
    let is_outside = |id: &&String| {
        known.get(id.as_str()).is_none_or(|need| {
            let is_own = need.epic.as_ref() == Some(&epic.id) && is_work(need);
            !need.is_completed() && !is_own
        })
    };
    let needs = story.needs.iter().filter(is_outside);
    let mut found: Vec<Outside> = needs
        .map(|id| Outside {
            id: line(&story.id),
            needs: line(id),
            what: known.get(id.as_str()).map(|need| what(need)),
        })
        .collect();
    found.extend(story.reasons.iter().map(|words| Outside {
        id: line(&story.id),
        needs: line(words),
        what: Some("not a story".to_owned()),
    }));
    found
}

/// A story as text: its title, status and epic.
pub(super) fn what(story: &Story) -> String {
    let epic = story.epic.as_deref().map_or_else(|| "no epic".to_owned(), line);
    format!("{} ({}, {epic})", name(story), line(&story.status))
}
