//! The parts of the store that know no files and no threads, against plain models of them.

mod runs;
mod tail;
