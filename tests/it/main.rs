//! The one test binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper that cannot go on fails the test that called it"
)]

mod agree;
mod artifacts;
mod cli;
mod conformance;
mod control;
mod docs;
mod follower;
mod http;
mod lifecycle;
mod limits;
mod oracle;
mod raw;
mod runtime;
mod support;
mod tidy;
