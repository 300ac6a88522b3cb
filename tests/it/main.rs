//! The one test binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a broken assumption is how a test fails"
)]

mod support;
mod cli;
mod control;
mod lifecycle;
mod runtime;
