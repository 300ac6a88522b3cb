//! Start, run and stop of the process.
