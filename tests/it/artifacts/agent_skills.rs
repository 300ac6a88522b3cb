//! Every SKILL.md, checked by the Agent Skills validator.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::judge;

/// What the validator finds in each of some folders, by the function that its command calls: a start takes it the most time.
const VALIDATE: &str = "
import sys, pathlib, skills_ref
for folder in sys.argv[1:]:
    print(folder, skills_ref.validate(pathlib.Path(folder)))
";

#[test]
fn every_skill_is_a_valid_agent_skill() {
    if !judge::are_there(&["venv/bin/agentskills"]) {
        return;
    }
    let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("skills");
    let folders = fs::read_dir(skills).unwrap().map(|entry| entry.unwrap().path());
    let folders: Vec<PathBuf> = folders.filter(|path| path.join("SKILL.md").exists()).collect();
    let mut python = Command::new(judge::folder().join("venv/bin/python"));
    let said = judge::said(python.args(["-c", VALIDATE]).args(&folders));
    assert!(!folders.is_empty() && said.lines().count() == folders.len(), "{said}");
    assert!(said.lines().all(|line| line.ends_with(" []")), "{said}");
}
