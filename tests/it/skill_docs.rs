//! docs/skills.md shows each skill on an input that somebody would have, on one screen, as the program prints it now;
//! `FLOW_UPDATE=1 cargo test --test it skill_docs` updates it.

use flow::skill::runtime::catalog;

use crate::artifacts::golden::hold;
use crate::tools::text;
use crate::transcript::{demo, renewed};

const PAGE: &str = "docs/skills.md";

/// Longest transcript of a skill, in lines: one screen.
const SCREEN: usize = 66;

#[test]
fn the_page_of_skills_is_what_the_program_prints() {
    let page = renewed(&demo(), &text(PAGE), |shown| {
        let lines = shown.lines().count();
        assert!(lines <= SCREEN, "{lines} lines:\n{shown}");
    });
    hold(PAGE, &page);
    let mut rest = page.as_str();
    for skill in catalog::names() {
        let summary = catalog::summary(skill);
        let begin = format!("\n## {skill}\n\n{summary}.\n\n````console\n$ flow skill {skill} ");
        (_, rest) = rest.split_once(&begin).unwrap_or_else(|| panic!("{PAGE} lacks: {begin}"));
    }
}
