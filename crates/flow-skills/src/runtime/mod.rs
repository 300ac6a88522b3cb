//! The runtime of skills: the embedded catalog, the template engine and its limits, custom skills, files and git.

pub mod catalog;
mod child;
pub mod custom;
pub(crate) mod engine;
pub mod files;
pub mod git;
pub mod limited;
pub mod manifest;
pub mod registry;
pub mod sandbox;
