//! The engine of the reports on the project's state: its records ([`project`]), what a report is about ([`scope`]), the lists and sentences that all
//! reports share ([`board`], [`open`], [`rows`]), the document ([`page`]), and its verification ([`mod@verify`]).

mod board;
mod open;
mod page;
mod project;
pub(super) mod rows;
mod scope;
mod verify;

pub(super) use board::{Board, Completion, Log, NO_REASON, Reason};
pub(super) use open::{Open, circular};
pub(super) use page::{Page, Section};
pub(super) use project::{Kind, Project};
pub(super) use scope::{Fields, Scope, is_time};
pub(super) use verify::{unknown_ids, verify};
