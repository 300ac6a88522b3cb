//! The one test binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper that cannot go on fails the test that called it"
)]

mod agree;
mod cli;
mod conformance;
mod control;
mod disk_faults;
mod docs;
mod follower;
mod http;
mod lifecycle;
mod limits;
mod live;
mod machine;
mod oracle;
mod raw;
mod runtime;
mod store_model;
mod support;
mod tidy;
mod watching;
