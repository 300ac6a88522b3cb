//! The engine of the reports on the project's state: its records and what a report is about ([`project`]), the lists and
//! sentences that all reports share ([`board`], [`rows`]), the document ([`page`]), and its verification ([`mod@verify`]).

mod board;
mod page;
mod project;
pub(super) mod rows;
mod verify;

pub(super) use board::{Board, Completion, Log, NO_REASON, Open};
pub(super) use page::{Page, Section};
pub(super) use project::{Fields, Kind, Scope, split};
pub(super) use verify::{unknown_ids, verify, verify_again};
