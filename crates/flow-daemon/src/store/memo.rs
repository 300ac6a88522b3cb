//! A cell for a value that a later layer computes once per state, at the first request that needs it.
//!
//! The store does not know the type of the value, so the cell holds a value of any type; each cell is used for one.

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
    /// The value, computed by the first call. If the cell holds a value of another type, it is not changed and the
    /// value is computed by each call.
    pub fn get_or_compute<T: Any + Send + Sync>(&self, compute: impl Fn() -> T) -> Arc<T> {
        let value = self.0.get_or_init(|| Arc::new(compute()));
        Arc::clone(value).downcast().unwrap_or_else(|_| Arc::new(compute()))
    }
}
