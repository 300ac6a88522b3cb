//! Requests and answers: pure functions of a snapshot and a request ([`App`]), and the server around them.
//!
//! Around [`App`] are the [`serve`] loop, the limits of each connection and the checks of Host and Origin, which know no
//! resource.

mod request_counts;
pub mod process_usage;
mod body;
mod buckets;
mod view;
pub mod live;
pub mod reply;
pub mod projects;
mod errors;
pub mod query;
pub mod etag;
mod examined;
pub mod gzip;
mod list;
mod bus;
mod records;
mod origins;
mod health;
pub mod openapi;
mod scrape;
mod overview;
mod derived;
pub mod page;
mod app;
mod timeout_stream;
mod inflight_budget;
pub mod guard;
mod service;
mod connections;
pub mod serve;

pub use app::App;
pub use view::{About, Request, View};
