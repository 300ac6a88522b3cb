//! The capacity of a sprint in points or working time, in the unit of the stories' sizes.

use crate::output::{Result, bad_text};
use crate::project_state::Story;
use crate::project_state::effort::{Effort, Unit};

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
    ///
    /// # Errors
    /// When it is not a positive size, or all sizes of the stories have the other unit.
    pub(super) fn read(given: &str, stories: &[&Story]) -> Result<Self> {
        let bad = |allowed: &str| bad_text("capacity", given, allowed);
        let size = Effort::parse(given).filter(|size| match *size {
            Effort::Points(points) => points > 0,
            Effort::Time(low, high) => low == high && high > 0,
        });
        let size = size.ok_or_else(|| bad(ALLOWED))?;
        let capacity = Self { unit: size.unit(), amount: size.most().into() };
        let mut sizes = stories.iter().filter_map(|story| story.effort).peekable();
        if sizes.peek().is_some() && sizes.all(|size| size.unit() != capacity.unit) {
            return Err(bad(&format!("in the unit of the sizes: {}", capacity.hint())));
        }
        Ok(capacity)
    }

    /// An example in the other unit.
    pub(super) fn hint(self) -> String {
        let (other, figures) = match self.unit {
            Unit::Points => ("hours", format!("{}h", self.amount.div_ceil(100))),
            Unit::Time => ("points", format!("{} points", self.amount.div_ceil(60))),
        };
        format!("stories are sized in {other}; try {figures}")
    }
}
