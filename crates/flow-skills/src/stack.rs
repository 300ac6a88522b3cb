//! Runs a recursive reader or writer on a separate stack, so that the size of the caller's stack does not matter.

use std::thread;

use crate::output::{Fault, Result};

/// Stack size, in bytes. Without optimisation, the SQL parser takes about 100 KiB for each of at most 64 levels, and the
/// writers of code less for each level of a schema, of which a text has at most 128, or for each of at most 64 entities
/// that refer to each other in place. Unused pages take no memory.
const STACK: usize = 32 << 20;

/// Runs a function. A panic in it is propagated to the caller.
pub(crate) fn run<T: Send>(read: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    thread::scope(|scope| {
        let reader = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read);
        let reader = reader.map_err(|error| {
            Fault::Unreadable(format!("the input cannot be read for want of memory: {error}"))
        })?;
        reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
