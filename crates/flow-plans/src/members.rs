//! The members of a record, which files and the plan that is joined from them share.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde_json::{Map, Value};

/// The members of a record in the order in which they are served. A change copies them if they are shared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Members(Arc<Map<String, Value>>);

impl From<Map<String, Value>> for Members {
    /// Without memory that the map has reserved and does not use.
    fn from(members: Map<String, Value>) -> Self {
        Self(Arc::new(members.into_iter().collect()))
    }
}

impl Deref for Members {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Members {
    fn deref_mut(&mut self) -> &mut Self::Target {
        Arc::make_mut(&mut self.0)
    }
}

impl From<Members> for Value {
    fn from(members: Members) -> Self {
        Self::Object(members.0.as_ref().clone())
    }
}
