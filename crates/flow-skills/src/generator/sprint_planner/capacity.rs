//! The capacity of a sprint in points or working time, in the unit of the stories' sizes.

use crate::input::effort::{Effort, Unit};
use crate::output::{Result, bad_text};
use crate::project_state::Story;
use crate::project_state::say::counted;

/// The accepted forms of a capacity.
const ALLOWED: &str =
    "points or working time above 0 and up to 10,000, such as 20, 20 points, 5d or 40h";

/// The capacity of a sprint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Capacity {
    pub(super) unit: Unit,
    /// Points in hundredths, or minutes.
    pub(super) amount: u64,
}

impl Capacity {
    /// Parses a capacity for these stories.
    pub(super) fn read(given: &str, stories: &[&Story]) -> Result<Self> {
        let bad = |allowed: &str| bad_text("capacity", given, allowed);
        let size = Effort::parse(given).filter(|size| size.least == size.most && size.most > 0);
        let size = size.ok_or_else(|| bad(ALLOWED))?;
        let capacity = Self { unit: size.unit, amount: size.most.into() };
        let sizes: Vec<Effort> = stories.iter().filter_map(|story| story.effort).collect();
        if !sizes.is_empty() && sizes.iter().all(|size| size.unit != capacity.unit) {
            return Err(bad(&other_unit(&sizes)));
        }
        Ok(capacity)
    }

    /// A story's size, if it has this unit.
    pub(super) fn size(self, story: &Story) -> Option<u64> {
        story.effort.filter(|size| size.unit == self.unit).map(|size| size.most.into())
    }
}

/// What the capacity must be where all stories are sized in the other unit.
fn other_unit(sizes: &[Effort]) -> String {
    let unit = sizes.first().map_or(Unit::Time, |size| size.unit);
    let sum = unit.show(sizes.iter().map(|size| u64::from(size.most)).sum());
    let (what, count) = (unit.name(), counted(sizes.len(), "story", "stories"));
    format!(
        "in {what}: the {count} to plan are sized in {what}, {sum} in all (add capacity=\"{sum}\" to plan all of them, or less)"
    )
}
