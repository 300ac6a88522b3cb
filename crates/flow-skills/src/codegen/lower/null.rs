//! Whether null is valid for a shape. A nullable kind accepts null before its predicate is called, so that a kind is
//! nullable only where the whole shape accepts null.

use serde_json::Value;

use super::Lowering;
use crate::data::{Shape, Type};

/// Largest number of shapes that are visited for one.
const MOST_VISITED: usize = 1_000;

impl Lowering<'_> {
    /// Whether a shape refuses null, as far as is known within the limit.
    pub(super) fn refuses_null(self, shape: &Shape) -> bool {
        self.takes_null(shape, &mut 0) == Some(false)
    }

    /// Whether null is valid; `None` where the limit is reached. The rules of other types say nothing about null.
    fn takes_null(self, shape: &Shape, visited: &mut usize) -> Option<bool> {
        *visited += 1;
        if *visited > MOST_VISITED {
            return None;
        }
        let mut count = |all: &[Shape]| -> Option<usize> {
            let taken = all.iter().map(|own| self.takes_null(own, visited));
            Some(taken.collect::<Option<Vec<bool>>>()?.into_iter().filter(|takes| *takes).count())
        };
        let any = count(&shape.any_of)?;
        let one = count(&shape.one_of)?;
        let all = count(&shape.all_of)?;
        let mut part = |own: &Option<Box<Shape>>, usual: bool| match own {
            Some(own) => self.takes_null(own, visited),
            None => Some(usual),
        };
        let is_refused = part(&shape.not, false)?;
        let branch =
            if part(&shape.if_shape, true)? { &shape.then_shape } else { &shape.else_shape };
        let is_branch = shape.if_shape.is_none() || part(branch, true)?;
        let is_referred = match &shape.reference {
            Some(entity) => self.takes_null(&self.model.entities.get(entity)?.shape, visited)?,
            None => true,
        };
        let is_listed = shape.enumeration.as_ref().is_none_or(|all| all.contains(&Value::Null))
            && shape.constant.as_ref().is_none_or(Value::is_null);
        let is_typed = shape.types.is_empty() || shape.types.contains(&Type::Null);
        let is_combined = (shape.any_of.is_empty() || any > 0)
            && (shape.one_of.is_empty() || one == 1)
            && all == shape.all_of.len();
        let is_own = !shape.never && is_typed && is_listed;
        Some(is_own && is_combined && !is_refused && is_branch && is_referred)
    }
}
