//! The engine of the reports on the project's state: what a report is about ([`scope`]), the lists and sentences that all
//! reports share ([`board`], [`open`], [`rows`]), the document ([`page`]), and its verification ([`verify`]).

mod board;
mod open;
mod page;
pub(super) mod rows;
mod scope;
mod verify;

pub(super) use board::{Board, Completion, Log, NO_REASON, Project, Reason};
pub(super) use open::Open;
pub(super) use page::{Page, Section};
pub(super) use scope::{Fields, Kind, Names, Scope, is_time};
pub(super) use verify::{Expected, Questions, placeholder, unknown_ids, verify};
