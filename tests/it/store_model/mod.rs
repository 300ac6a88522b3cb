//! The parts of the store that use no files and no threads, compared with plain models of them.

mod runs;
mod tail;
