//! What skills write, held against the tools that will read it.

mod agent_skills;
mod changelog;
mod commits;
mod deploy;
mod errors;
mod judge;
mod pr;
