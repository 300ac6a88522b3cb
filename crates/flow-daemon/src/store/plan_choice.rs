//! Which formats are read. It is decided once, at the start, so that a file that appears later replaces no board.

use std::path::Path;

use flow_plans::{FORMATS, Format};

use crate::project::FormatChoice;

use super::disk::Disk;
use super::plan_tree;

/// The formats of a project.
#[derive(Default)]
pub struct Chosen {
    /// Those that are read.
    pub read: Vec<&'static dyn Format>,
    /// Those that are present and are not read.
    pub beside: Vec<&'static str>,
    /// Those that are read only because none of the four files exists.
    pub alone: Vec<&'static str>,
}

/// Finds the formats in a project and decides which are read.
pub fn choose(disk: &dyn Disk, root: &Path, choice: &FormatChoice) -> Chosen {
    let mut chosen = Chosen::default();
    for format in FORMATS {
        let tree = plan_tree::find(disk, root, *format);
        let files: Vec<&str> = tree.files.iter().map(String::as_str).collect();
        let exists = |path: &str| disk.stat(&root.join(path)).is_ok();
        // A folder that cannot be searched is reported, so that its plan does not seem to be empty.
        let is_unsearched = || {
            let paths = tree.unsearched.iter().map(|one| one.path.as_str());
            paths.into_iter().any(|path| format.marks().contains(&path))
        };
        let is_present = format.is_present(&files, &exists) || is_unsearched();
        if choice.reads(format.name(), is_present) {
            chosen.read.push(*format);
            if !choice.names(format.name(), is_present) {
                chosen.alone.push(format.name());
            }
        } else if is_present {
            chosen.beside.push(format.name());
        }
    }
    if let Some(checklists) = choice.checklists {
        chosen.read.push(checklists);
    }
    chosen
}
