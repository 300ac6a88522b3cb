//! The engine of the reports on the project's state: what a report is about ([`scope`]), the lists and sentences that all
//! reports share ([`board`], [`next`], [`mod@open`], [`rows`]), the document ([`page`]), and its verification ([`mod@verify`]).

mod board;
mod next;
mod open;
mod page;
pub(super) mod rows;
mod scope;
mod verify;

pub(super) use board::{Board, Log, NO_REASON};
pub(super) use next::NO_NEXT;
pub(super) use open::Open;
pub(super) use page::{Listing, Report};
pub(super) use scope::{Fields, Scope, Times, contradictions};
pub(super) use verify::{unknown_ids, verify, verify_again};
