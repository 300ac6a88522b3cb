//! Finds the files of a format: a walk through the folders that may contain them. It keeps no state.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use flow_plans::{Format, OwnFile};

use super::disk::{Disk, Listed, Stat};
use super::locate;
use super::reading;

/// Largest number of files of a format that are read; the rest is counted.
pub const MOST_FILES: usize = 10_000;
/// Largest number of folders of a format that are searched.
const MOST_FOLDERS: usize = 10_000;
/// Largest number of names in a folder.
const MOST_NAMES: usize = 100_000;
/// Largest size of a tool's configuration, in bytes.
const MOST_CONFIGURATION: u64 = 64 << 10;
/// Deepest folder below the root that is searched.
const DEEPEST: usize = 12;
/// Largest number of files and folders that are reported because they cannot be searched.
const MOST_UNSEARCHED: usize = 100;

/// The files of a format, and the folders that were searched.
#[derive(Debug, Default, PartialEq)]
pub struct Tree {
    /// The files, relative to the root, in order.
    pub files: Vec<String>,
    /// The folders, relative to the root, with their stat before they were listed; `None` for one that does not exist.
    pub folders: BTreeMap<String, Option<Stat>>,
    /// Number of files and folders that were left out because there are too many.
    pub left_out: usize,
    /// Files that could stand in place of one that is read.
    pub beside: Vec<String>,
    /// What is at the place of files or of a folder and cannot be searched; at most 100.
    pub unsearched: Vec<Unsearched>,
}

/// A file or a folder that cannot be searched.
#[derive(Debug, PartialEq)]
pub struct Unsearched {
    /// Relative to the root.
    pub path: String,
    /// One sentence, without a path.
    pub reason: String,
}

/// Finds the files of a format below a root. Links in place of folders are not followed.
pub fn find(disk: &dyn Disk, root: &Path, format: &dyn Format) -> Tree {
    let mut tree = Tree::default();
    let mut waiting: Vec<String> = Vec::new();
    for place in format.places().iter().rev() {
        // The folder that contains the place shows when the place appears.
        let parent = Path::new(place).parent().and_then(Path::to_str).unwrap_or_default();
        note(disk, root, parent, &mut tree);
        waiting.push((*place).to_owned());
    }
    while let Some(path) = waiting.pop() {
        let Ok(stat) = disk.stat(&root.join(&path)) else { continue };
        // What is not a regular file is refused when it is read.
        if format.owns(&path) {
            tree.files.push(path);
            continue;
        }
        if tree.folders.len() >= MOST_FOLDERS {
            tree.left_out += 1;
            continue;
        }
        note(disk, root, &path, &mut tree);
        let listed = match list(disk, root, &path, &stat) {
            Ok(listed) => listed,
            Err(_) if tree.unsearched.len() >= MOST_UNSEARCHED => {
                tree.left_out += 1;
                continue;
            }
            Err(reason) => {
                tree.unsearched.push(Unsearched { path, reason });
                continue;
            }
        };
        // The last one is searched first.
        for entry in listed.into_iter().rev() {
            let below =
                if path.is_empty() { entry.name.clone() } else { format!("{path}/{}", entry.name) };
            if !entry.is_folder {
                take(format, below, &mut tree);
            } else if format.enters(&below) {
                waiting.push(below);
            }
        }
    }
    tree.files.sort();
    tree.files.dedup();
    let modified = |path: &str| disk.stat(&root.join(path)).ok().map(|stat| stat.modified_at());
    let own = tree.files.iter().map(|path| OwnFile { path, modified: modified(path) });
    let own: Vec<OwnFile<'_>> = own.collect();
    let selected = format.select(&own, &|path| text(disk, root, path));
    if selected.read.len() < own.len() {
        tree.beside = selected.beside.into_iter().map(str::to_owned).collect();
        tree.files = selected.read.into_iter().map(str::to_owned).collect();
        tree.files.sort();
    }
    let surplus = tree.files.len().saturating_sub(MOST_FILES);
    tree.left_out += surplus;
    tree.files.truncate(MOST_FILES);
    tree
}

/// The names in a folder.
///
/// # Errors
/// Why it cannot be searched, as a phrase.
fn list(disk: &dyn Disk, root: &Path, path: &str, stat: &Stat) -> Result<Vec<Listed>, String> {
    if !stat.is_folder() {
        return Err("not a folder".to_owned());
    }
    if path.split('/').count() > DEEPEST {
        return Err(format!("more than {DEEPEST} folders below the project"));
    }
    let real = locate::resolve(disk, root, Path::new(path));
    let real = real.map_err(|error| reading::reason(&error))?.ok_or(reading::OUTSIDE)?;
    disk.list(&real, MOST_NAMES).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => format!("more than {MOST_NAMES} names in it"),
        _ => reading::reason(&error),
    })
}

/// The text of a small file; `None` if it cannot be read.
fn text(disk: &dyn Disk, root: &Path, path: &str) -> Option<String> {
    let stat = disk.stat(&root.join(path)).ok()?;
    let target = locate::resolve(disk, root, Path::new(path)).ok()??;
    let file = reading::open(disk, &stat, Some(&target)).ok()?;
    let (bytes, _) = reading::document(file.as_ref(), MOST_CONFIGURATION).ok()?;
    String::from_utf8(bytes.into()).ok()
}

fn take(format: &dyn Format, path: String, tree: &mut Tree) {
    if format.owns(&path) {
        tree.files.push(path);
    }
}

fn note(disk: &dyn Disk, root: &Path, folder: &str, tree: &mut Tree) {
    let stat = disk.stat(&root.join(folder)).ok();
    tree.folders.insert(folder.to_owned(), stat);
}
