//! The stories of a new epic: unused ids, and the dependencies of each.

use std::collections::HashSet;

use crate::output::{Result, bad_text};
use crate::project_state::graph::Graph;
use crate::project_state::{Epic, Snapshot, Story};
use crate::story::names::next_number;

/// Largest number of dependencies of a story.
const MOST_NEEDS: usize = 100;

/// Adds a new epic and its stories to the project's, with ids where they have none, and ids in place of the numbers that
/// they depend on. Returns the id of the epic.
pub(super) fn add(
    mut epic: Epic,
    mut stories: Vec<Story>,
    snapshot: &mut Snapshot,
) -> Result<String> {
    if epic.id.is_empty() {
        let epics = snapshot.epics.iter().map(|epic| epic.id.as_str());
        epic.id = format!("EP-{:04}", next_number("EP-", epics)?);
    }
    let known: HashSet<&str> = snapshot.stories.iter().map(|story| story.id.as_str()).collect();
    number(&mut stories, &known)?;
    let ids: Vec<String> = stories.iter().map(|story| story.id.clone()).collect();
    for story in &mut stories {
        story.needs = needs(story, &ids, &known)?;
        story.epic = Some(epic.id.clone());
    }
    let all = stories.iter().chain(&snapshot.stories);
    let graph = Graph::new(all.map(|story| (story.id.as_str(), story.needs.as_slice())));
    if let Some(ids) = graph.cycle_below(stories.len()) {
        return Err(bad_text("epic", &ids, "stories that do not need each other in a cycle"));
    }
    snapshot.stories.append(&mut stories);
    let id = epic.id.clone();
    snapshot.epics.push(epic);
    Ok(id)
}

/// Gives the next unused ids to stories without one.
fn number(stories: &mut [Story], known: &HashSet<&str>) -> Result<()> {
    let mut taken: HashSet<&str> = HashSet::new();
    for id in stories.iter().map(|story| story.id.as_str()).filter(|id| !id.is_empty()) {
        if known.contains(id) || !taken.insert(id) {
            return Err(bad_text("epic", id, "ids that are free, each once"));
        }
    }
    let first = next_number("US-", taken.iter().chain(known).copied())?;
    let without_id = stories.iter_mut().filter(|story| story.id.is_empty());
    for (number, story) in (first..).zip(without_id) {
        story.id = format!("US-{number:04}");
    }
    Ok(())
}

/// The ids that a story depends on, each once.
fn needs(story: &Story, ids: &[String], known: &HashSet<&str>) -> Result<Vec<String>> {
    let mut needs: Vec<String> = Vec::new();
    for word in &story.needs {
        let id = match word.parse::<usize>() {
            Ok(number) => number.checked_sub(1).and_then(|at| ids.get(at)),
            Err(_) => Some(word).filter(|id| ids.contains(id) || known.contains(id.as_str())),
        };
        let allowed =
            format!("a number of the list from 1 to {}, or a story of the project", ids.len());
        let given = format!("{} after {word}", story.id);
        let id = id.ok_or_else(|| bad_text("epic", &given, &allowed))?;
        if !needs.contains(id) {
            needs.push(id.clone());
        }
    }
    if needs.len() > MOST_NEEDS {
        return Err(bad_text("epic", &story.id, &format!("after at most {MOST_NEEDS} stories")));
    }
    Ok(needs)
}
