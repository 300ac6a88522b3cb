//! What skills write, held against the tools that will read it.

mod adr;
mod criteria;
mod judge;
mod stories;
mod testcases;
