//! The output of skills, checked by the tools that read it: one file of tests for one or two skills. Shared modules
//! are `judge` (the judges), `making` (running skills), `golden` (golden files), `execute` (generated code), `cases`
//! (models with values) and `hostile` (inputs of any texts).

mod agent_skills;
mod blockers;
mod boards;
mod cases;
mod changelog;
mod commits;
mod corrected;
mod criteria;
mod debts;
mod diagram;
mod epics;
mod errors;
pub(crate) mod execute;
mod features;
pub(crate) mod golden;
mod hostile;
mod hostile_code;
pub(crate) mod judge;
mod logs;
mod making;
mod openapi;
mod random;
mod recursion;
mod reports;
mod retro;
mod sprints;
mod sql;
mod status;
mod stories;
mod suite;
mod testcases;
mod texts;
mod types;
mod validation;
mod verify;
