//! A checkout whose every byte an attacker wrote, in which an agent runs skills: nothing of it is run, nothing outside of
//! it is read or written, and nothing of the user's is replaced.

mod files;
mod git;
mod limits;
mod terminal;
mod trust;
