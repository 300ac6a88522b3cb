//! The plans that other tools keep in a project, as epics, stories and tasks.
//!
//! Nothing here opens a file. The store finds a format's files and reads them; [`Format::read`] turns the text of one file
//! into parts of records, which are kept for each file, and [`join()`] makes one plan of the parts of all files. A format is
//! one file here and one row of [`FORMATS`].

pub mod agileflow_md;
pub mod backlog_md;
pub mod beads;
pub mod bmad;
pub mod ccpm;
pub mod checklist;
pub mod format;
pub mod front_matter;
pub mod gsd;
pub mod join;
pub mod json_file;
pub mod kiro;
pub mod lines;
pub mod markdown_checklist;
pub mod members;
pub mod openspec;
pub mod plan;
pub mod ralph;
pub mod size;
pub mod spec_kit;
pub mod task_master;

pub use flow_model::kind::Kind;
pub use flow_model::problem::Effect;
pub use format::{FileRecords, Format, OwnFile, Part, Selection};
pub use join::join;
pub use plan::{Issue, Plan, PlannedRecord};

/// All formats, in the order in which they are read and reported.
pub const FORMATS: &[&dyn Format] = &[
    &spec_kit::SpecKit,
    &openspec::OpenSpec,
    &kiro::Kiro,
    &task_master::TaskMaster,
    &backlog_md::BacklogMd,
    &bmad::Bmad,
    &gsd::Gsd,
    &ccpm::Ccpm,
    &ralph::Ralph,
    &beads::Beads,
    &agileflow_md::AgileFlowMd,
];
