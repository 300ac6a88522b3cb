//! The one test binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper that cannot go on fails the test that called it"
)]

/// Tests of one call each.
macro_rules! each {
    ($($(#[$more:meta])* $name:ident: $run:expr;)*) => {
        $($(#[$more])* #[test] fn $name() { $run })*
    };
}

mod agent_docs;
mod agree;
mod artifacts;
mod cases;
mod catalog;
mod chains;
mod change_stream;
mod circumstances;
mod conformance;
mod control;
mod disk_faults;
mod doc_blocks;
mod docs;
mod doctor;
mod expensive;
mod files_page;
mod flood;
mod help_requests;
mod hooked;
mod hostile_checkout;
mod large_answers;
mod lifecycle;
mod limits;
mod links;
mod live;
mod machine;
mod mcp;
mod messages;
mod monitoring;
mod mounts;
mod names;
mod namespace;
mod neighbours;
mod notation;
mod oracle;
mod openapi;
mod page;
mod past;
mod git_moves;
mod journal;
mod plan_diff;
mod plan_mutations;
mod plan_saves;
mod poller;
mod progress;
mod projects;
mod proxy;
mod random;
mod raw;
mod recognise;
mod record_limit;
mod requirement;
mod runtime;
mod schema;
mod shell;
mod skill_docs;
mod skill_state;
mod soak;
mod store_model;
mod streams;
mod support;
mod syscalls;
mod terminal_keys;
mod tidy;
mod tools;
mod transcript;
mod watching;
mod worktrees;
mod writers;
