//! `flow mcp`: the project for coding agents, over the Model Context Protocol.
//!
//! Tools, resources and prompts give what the API gives, from a store of this process that follows the files: no server
//! has to run, and nothing is written. [`serve()`] speaks on standard input and output; [`Handler`] answers
//! requests and knows no transport.
//!
//! Protocol: <https://modelcontextprotocol.io/specification/2026-07-28>, and every earlier revision that rmcp knows.

mod limits;
mod state;
mod answer;
mod skill_process;
mod tools;
mod resources;
mod prompts;
mod subscriptions;
mod handler;
mod server;
mod transport;
mod serve;

pub use handler::Handler;
pub use serve::serve;
pub use skill_process::{WORD as RUN_SKILL, serve as run_skill};
pub use state::State;
