//! Kiro and cc-sdd: a folder below `.kiro/specs/` for each spec, with its boxes in `tasks.md`.

use crate::checklist::{self, Dialect};
use crate::format::{FileRecords, Format};
use crate::plan::Plan;

const SPECS: &str = ".kiro/specs";

/// Kiro and cc-sdd.
#[derive(Debug)]
pub struct Kiro;

impl Format for Kiro {
    fn name(&self) -> &'static str {
        "kiro"
    }

    fn places(&self) -> &'static [&'static str] {
        &[SPECS]
    }

    fn enters(&self, folder: &str) -> bool {
        below(folder).is_some_and(|spec| !spec.contains('/'))
    }

    fn marks(&self) -> &'static [&'static str] {
        &[".kiro/specs"]
    }

    fn owns(&self, path: &str) -> bool {
        spec(path).is_some()
    }

    fn is_present(&self, _: &[&str], exists: &dyn Fn(&str) -> bool) -> bool {
        exists(SPECS)
    }

    fn read(&self, path: &str, text: &str) -> FileRecords {
        let spec = spec(path);
        spec.map(|spec| checklist::file(spec, text, Dialect::Markdown)).unwrap_or_default()
    }

    fn complete(&self, plan: &mut Plan) {
        plan.complete_from_boxes();
    }
}

fn below(path: &str) -> Option<&str> {
    path.strip_prefix(SPECS)?.strip_prefix('/')
}

/// The spec whose tasks are in the file.
fn spec(path: &str) -> Option<&str> {
    let (spec, name) = below(path)?.split_once('/')?;
    (name == "tasks.md").then_some(spec)
}
