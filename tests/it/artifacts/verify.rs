//! Faults that are put into the example outputs of reports, and what `flow skill verify` says of each. Every row is: what is
//! replaced, by what, and the beginning of the finding, with its line.

use std::path::Path;

use flow::skill::generator::{SKILLS, find};

use super::golden::example_output;
use super::making::context;

/// A fault, and how it is found.
struct Seed {
    from: &'static str,
    to: &'static str,
    finding: &'static str,
}

const fn seed(from: &'static str, to: &'static str, finding: &'static str) -> Seed {
    Seed { from, to, finding }
}

#[rustfmt::skip]
const TABLE: &[(&str, &[Seed])] = &[
    ("agent-brief", &[
        seed("- Blocked:", "Blocked:", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("## Acceptance criteria\n", "## Criteria\n", "1: the section Acceptance criteria is missing: add `## Acceptance criteria`"),
        seed("US-0009", "US-0909", "3: US-0909 is not in the project: correct the id, or remove it"),
        seed("- A repeated webhook changes nothing", "- \\<what must be true>", "21: <what must be true> is a blank: fill it in, or remove it"),
        seed("## Goal\n", "## Open questions\n\n- criteria: not given\n\n## Goal\n", "10: open questions are left: answer them and remove the section"),
    ]),
    ("blocker-analysis", &[
        seed("# Blocker analysis\n", "", "1: the title is missing: begin with `# Title`"),
        seed("- Blocked:", "Blocked:", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("| US-0017 |", "| US-0717 |", "23: US-0717 is not in the project: correct the id, or remove it"),
        seed("| ui |", "| TODO |", "16: \"TODO\" is a placeholder: replace it, or remove it"),
        seed("opening hours", "\\<which hours>", "3: <which hours> is a blank: fill it in, or remove it"),
    ]),
    ("epic-planner", &[
        seed("# EP-0004: ", "# ", "1: the title has no id: begin with `# EP-0001: Title`"),
        seed("| US-0023 |", "| US-0022 |", "24: US-0022 is already in line 17"),
        seed("| 5 points |", "| large |", "31: \"large\" is not a size: write 3 points, 4 h or 2d"),
        seed("| 2 points | US-0022 |", "| 2 points | US-0099 |", "24: US-0023 needs US-0099, which is not in the project"),
        seed("## Acceptance criteria", "## Open questions", "33: open questions are left: answer them and remove the section"),
    ]),
    ("handoff-note", &[
        seed("- Blocked:", "Blocked:", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("task-0007", "task-9999", "16: task-9999 is not in the project: correct the id, or remove it"),
        seed("## Next\n", "## Next\n\n## Later\n", "24: the section Next is empty: fill it"),
        seed("## Next\n", "## Open questions\n\n- to: not given\n\n## Next\n", "24: open questions are left: answer them and remove the section"),
        seed("Card payment: success and refusal", "TODO", "16: \"TODO\" is a placeholder: replace it, or remove it"),
    ]),
    ("retro-facilitator", &[
        seed("# Retrospective\n", "", "1: the title is missing: begin with `# Title`"),
        seed("- Changed", "Changed", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("## Figures\n", "## Next\n", "1: the section Figures is missing: add `## Figures`"),
        seed("US-0003:", "US-0803:", "25: US-0803 is not in the project: correct the id, or remove it"),
        seed("- Blocks: 2", "- TBD", "48: \"TBD\" is a placeholder: replace it, or remove it"),
    ]),
    ("sprint-planner", &[
        seed("# Sprint plan\n", "", "1: the title is missing: begin with `# Title`"),
        seed("- Planned:", "Planned:", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("| US-0014 |", "| US-1014 |", "19: US-1014 is not in the project: correct the id, or remove it"),
        seed("| ci |", "| ??? |", "20: \"???\" is a placeholder: replace it, or remove it"),
        seed("## Not planned\n", "## Risks\n\n## Not planned\n", "30: the section Risks is empty: fill it, or remove it"),
    ]),
    ("status-report", &[
        seed("# Checkout, second day\n", "", "1: the title is missing: begin with `# Title`"),
        seed("- Progress:", "Progress:", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("## Counts\n", "## Figures\n", "1: the section Counts is missing: add `## Counts`"),
        seed("| US-0014 |", "| US-0999 |", "62: US-0999 is not in the project: correct the id, or remove it"),
        seed("| ui |", "| TBD |", "50: \"TBD\" is a placeholder: replace it, or remove it"),
    ]),
];

#[test]
fn every_fault_is_found_on_its_line() {
    let here = context(Path::new("."));
    let mut missed = Vec::new();
    for (skill, seeds) in TABLE {
        let verify = find(skill).unwrap().verify.unwrap();
        let example = example_output(skill).artifacts[0].text.clone();
        for Seed { from, to, finding } in *seeds {
            assert!(example.contains(from), "{skill}: {from:?} is not in\n{example}");
            let all = verify(&example.replacen(from, to, 1), &here).into_iter();
            let found: Vec<String> = all.map(|one| format!("{}: {}", one.line, one.what)).collect();
            if !found.iter().any(|found| found.starts_with(finding)) {
                missed.push(format!("{skill}: {from:?}: {finding:?} is not in {found:#?}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// A skill's faults are in the table, or in its cases.
#[test]
fn no_example_has_a_finding_and_every_skill_has_faults() {
    let here = context(Path::new("."));
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    for skill in SKILLS {
        let Some(verify) = skill.verify else { continue };
        let example = example_output(skill.name).artifacts[0].text.clone();
        assert_eq!(verify(&example, &here), [], "{}", skill.name);
        let has_faults = TABLE.iter().any(|(name, _)| *name == skill.name)
            || cases.join(skill.name).join("faults.in").exists();
        // The SQL of a migration has a separate test.
        assert!(has_faults || skill.name == "sql-schema-generator", "{}", skill.name);
    }
}
