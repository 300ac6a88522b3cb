//! A place for what a later layer computes once of a state, at the first request that needs it.
//!
//! The store does not know what that is, so the place holds a value of any type: one for each place.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A value that is computed at most once.
#[derive(Default)]
pub struct Memo(OnceLock<Arc<dyn Any + Send + Sync>>);

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Memo").field(&self.0.get().is_some()).finish()
    }
}

impl Memo {
    /// The value, computed now where it was not before. A place that holds a value of another type is left alone, and
    /// the value computed each time.
    pub fn get_or_compute<T: Any + Send + Sync>(&self, compute: impl Fn() -> T) -> Arc<T> {
        let value = self.0.get_or_init(|| Arc::new(compute()));
        Arc::clone(value).downcast().unwrap_or_else(|_| Arc::new(compute()))
    }
}
