//! Runs a reader that recurses on a stack of its own, so that the caller's stack, which may be small, does not matter.

use std::thread;

use crate::output::{Fault, Result};

/// The stack of a reader, in bytes. The SQL parser, compiled without optimisation, takes about 100 KiB for each level of
/// at most 64; only what is used takes memory.
const STACK: usize = 32 << 20;

/// Runs a reader. A panic in it goes on in the caller.
///
/// # Errors
/// Those of the reader, or that there is no memory for the stack.
pub(super) fn run<T: Send>(read: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    thread::scope(|scope| {
        let reader = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read);
        let reader = reader.map_err(|error| {
            Fault::Unreadable(format!("the input cannot be read for want of memory: {error}"))
        })?;
        reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
