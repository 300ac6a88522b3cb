//! `flow man DIR`: man pages, generated from the definition of the command line.

use std::fs;
use std::path::Path;

use super::args;
use super::command_output::CommandOutput;
use crate::error::{Error, Result};

/// Writes a page for the program and for each of its commands.
pub(super) fn man(folder: &Path) -> Result<CommandOutput> {
    let wrong = |error| Error::path("write the man pages to", folder, error);
    fs::create_dir_all(folder).map_err(wrong)?;
    for page in folder.read_dir().map_err(wrong)?.flatten() {
        let name = page.file_name();
        let is_of_ours = name.to_string_lossy().starts_with("flow");
        let is_page = fs::read_to_string(page.path()).is_ok_and(|text| text.contains(".TH flow"));
        if is_of_ours && !is_page {
            return Err(Error::Refused(format!(
                "{} exists and is not a man page of flow; give another folder",
                page.path().display()
            )));
        }
    }
    clap_mangen::generate_to(args::definition(), folder).map_err(wrong)?;
    Ok(CommandOutput::shown(format!(
        "wrote the man pages to {}\n",
        super::text::escape(&folder.to_string_lossy())
    )))
}
