//! Faults that are put into the example outputs of skills, and what `flow skill verify` says of each. Every row is: what is
//! replaced, by what, and the beginning of the finding, with its line.

use std::collections::BTreeMap;
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
    ("acceptance-criteria-generator", &[
        seed("    Then I can get back in\n", "", "9: AC-story: nothing follows: add a Then"),
        seed("@AC-C1", "@AC-story", "15: AC-story is the id of the one in line 9 too"),
        seed("Then I can get back in", "Then <what I have then>", "9: AC-story: <what I have then> is a blank: fill it in"),
        seed("    Then I can get back in\n", "    Then it is <minutes>\n\n    Examples:\n      | time |\n      | 30 |\n", "9: AC-story: <minutes> is not a column of the examples"),
    ]),
    ("adr-template", &[
        seed("# 1. Keep", "1. Keep", "1: the record has no title: begin with `# Title`"),
        seed("Date: 2026-03-11", "Date: soon", "3: the date is \"soon\", but must be a date such as 2026-01-31"),
        seed("Accepted", "Done", "7: the field \"status\" is \"Done\", but must be one of proposed, accepted, rejected, deprecated, or"),
        seed("## Context", "## Story", "1: the section Context is missing: add `## Context`"),
        seed("Orders outgrew the file that they are kept in: two writers lose each other's changes.\n", "", "9: the section Context is empty"),
        seed("Orders outgrew the file that they are kept in: two writers lose each other's changes.", "TODO", "11: \"TODO\" is a placeholder: replace it, or remove it"),
        seed("- Tests need a database\n", "- \\<what becomes worse>\n", "22: <what becomes worse> is a blank: fill it in, or remove it"),
    ]),
    ("agent-brief", &[
        seed("- Blocked:", "Blocked:", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("## Acceptance criteria\n", "## Criteria\n", "1: a section is missing: add `## Acceptance criteria`"),
        seed("US-0009", "US-0909", "3: US-0909 is not in the project: correct the id, or remove it"),
        seed("- A repeated webhook changes nothing", "- {{ criterion }}", "21: \"{{criterion}}\" is a placeholder: replace it, or remove it"),
        seed("## Goal\n", "## Open questions\n\n- criteria: not given\n\n## Goal\n", "10: open questions are left: answer them and remove the section"),
    ]),
    ("blocker-analysis", &[
        seed("# Blocker analysis\n", "", "1: the page has no title: begin with `# Title`"),
        seed("- Blocked:", "Blocked:", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("| US-0017 |", "| US-0717 |", "23: US-0717 is not in the project: correct the id, or remove it"),
        seed("| ui |", "| TODO |", "16: \"TODO\" is a placeholder: replace it, or remove it"),
        seed("opening hours", "<which hours>", "3: \"<which hours>\" is a placeholder: replace it, or remove it"),
    ]),
    ("changelog-entry", &[
        seed("2026-01-31", "2026-02-31", "7: the day of 1.3.0 is \"2026-02-31\", but must be a date such as 2026-01-31"),
        seed(" - 2026-01-31", "", "7: the day of 1.3.0 is missing: add ` - 2026-01-31`"),
        seed("[1.3.0] - ", "[1.1.0] - ", "21: 1.2.0 is below 1.1.0: the newest version comes first"),
        seed("### Fixed", "### Bugs", "13: \"Bugs\" is none of Added, Changed, Fixed, Deprecated, Removed, Security"),
        seed("- Sign in with a passkey\n", "", "9: Added has no entry: add one, or take the heading out"),
        seed("### Deprecated", "### Added", "17: Added occurs twice in this section: merge both"),
        seed("- Reset of passwords", "- Reset\n- Reset", "26: this entry occurs twice"),
        seed("## [1.2.0]", "## [1.3.0]", "21: 1.3.0 has a section already: put both together"),
        seed("## [1.2.0] - 2025-11-02", "## Older ones", "21: \"Older ones\" is neither a version nor Unreleased: write `## [1.2.0] - 2026-01-31`"),
        seed("v1.2.0...v1.3.0", "v1.2.0...v1.2.9", "28: the link 1.3.0 does not lead to 1.3.0: v1.2.0...v1.2.9"),
    ]),
    ("commit-message-formatter", &[
        seed("feat(auth)!: sign", "sign", "1: the subject has no type: begin with `fix: ` or another"),
        seed("feat(auth)!", "feature(auth)!", "1: the type of the subject is none of feat, fix, docs, style, refactor, perf, test, build, ci, chore, revert"),
        seed("passkey\n\n", "passkey\n", "2: an empty line must stand below the subject"),
        seed("a passkey\n", "a passkey.\n", "1: the subject ends with a full stop: remove it"),
        seed("sign in", "Sign in", "1: the subject begins with a capital: use lower case"),
        seed("(auth)!:", "(auth):", "1: a footer says what breaks: put `!` before the colon of the subject too"),
        seed("and half", "for everybody who has an account of their own with the shop, and half", "3: the line has 137 characters, over 100: wrap it"),
    ]),
    ("deployment-guide-generator", &[
        seed("# Deploy", "Deploy", "1: the title is missing: begin with `# Deploy …`"),
        seed("### Step 2:", "### Step 3:", "35: the number of this step must be 2"),
        seed("### Roll back step 1: Record the running version", "### More", "23: this step has no rollback: add `### Roll back step 1: …`, or `Step 1 has nothing to roll back.`"),
        seed("### Roll back step 5: Restart the service", "### Roll back step 1: Restart the service", "77: this step has no rollback: add `### Roll back step 5: …`, or `Step 5 has nothing to roll back.`"),
        seed("test -d \"$(cat \"/opt/$SERVICE/previous\")\"", "<the check>", "32: \"<the check>\" is a blank: replace it"),
    ]),
    ("epic-planner", &[
        seed("# EP-0004: ", "# ", "1: the plan has no title: begin with `# EP-0001: Title`"),
        seed("| US-0023 |", "| US-0022 |", "24: US-0022 is already in line 17"),
        seed("| 5 points |", "| large |", "31: \"large\" is not a size: write 3 points, 4 h or 2d"),
        seed("| 2 points | US-0022 |", "| 2 points | US-0099 |", "24: US-0023 needs US-0099, which is not in the project"),
        seed("## Acceptance criteria", "## Open questions", "33: open questions are left: answer them and remove the section"),
    ]),
    ("handoff-note", &[
        seed("- Blocked:", "Blocked:", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("task-0007", "task-9999", "14: task-9999 is not in the project: correct the id, or remove it"),
        seed("## Next\n", "## Next\n\n## Later\n", "22: the section Next is empty: fill it, or remove it"),
        seed("## Next\n", "## Open questions\n\n- to: not given\n\n## Next\n", "22: open questions are left: answer them and remove the section"),
        seed("Card payment: success and refusal", "TODO", "14: \"TODO\" is a placeholder: replace it, or remove it"),
    ]),
    ("migration-checklist", &[
        seed("# Migrate", "Migrate", "1: the title is missing: begin with `# Migration checklist: …`"),
        seed("## 4. Rollback plan", "## 4. Plan", "1: a phase is missing: add `## 4. Rollback plan`"),
        seed("## 2. Execution", "## 2. Validation", "1: a phase is missing: add `## 2. Execution`"),
        seed("Rollback of this phase: if the", "If the", "52: the phase does not say how it is rolled back: add `Rollback of this phase: …`"),
        seed("## 5. Post-migration verification", "## Open questions", "67: open questions are left: answer them and remove the section"),
    ]),
    ("pr-description", &[
        seed("# ", "", "1: the title is missing: begin with `# Title`"),
        seed("cargo test: passed", "cargo test: failed", "29: a test failed: cargo test: failed (212 passed)"),
        seed("## Testing", "## Notes", "1: the section Testing is missing: say what was run, and whether it passed"),
        seed("- cargo test: passed (212 passed)\n", "", "27: the section testing is empty: fill it, or remove it"),
        seed("- [x] All tests pass (see Testing)", "- [ ] All tests pass", "38: not ticked: All tests pass; tick it with what shows it, or remove it"),
        seed("All tests pass (see Testing)", "All tests pass", "38: ticked without what shows it: All tests pass; add it in parentheses"),
        seed("- Closes #131", "- Refs #128", "45: this entry is already on line 44"),
        seed("- Closes #131", "- \\<which issue>", "45: <which issue> is a blank: fill it in, or remove it"),
    ]),
    ("retro-facilitator", &[
        seed("# Retrospective\n", "", "1: the page has no title: begin with `# Title`"),
        seed("- Changed", "Changed", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("## Actions\n", "## Next\n", "1: a section is missing: add `## Actions`"),
        seed("US-0018:", "US-0818:", "25: US-0818 is not in the project: correct the id, or remove it"),
        seed("- Who resolves these blocks?", "- TBD", "54: \"TBD\" is a placeholder: replace it, or remove it"),
    ]),
    ("sprint-planner", &[
        seed("# Sprint plan\n", "", "1: the page has no title: begin with `# Title`"),
        seed("- Planned:", "Planned:", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("| US-0014 |", "| US-1014 |", "18: US-1014 is not in the project: correct the id, or remove it"),
        seed("| ci |", "| ??? |", "19: \"???\" is a placeholder: replace it, or remove it"),
        seed("## Not planned\n", "## Risks\n\n## Not planned\n", "29: the section Risks is empty: fill it, or remove it"),
    ]),
    ("status-report", &[
        seed("# Checkout, second day\n", "", "1: the page has no title: begin with `# Title`"),
        seed("- Progress:", "Progress:", "1: the summary is missing: begin with three to five lines, each a list item, on what is blocked,"),
        seed("## Counts\n", "## Figures\n", "1: a section is missing: add `## Counts`"),
        seed("| US-0014 |", "| US-0999 |", "62: US-0999 is not in the project: correct the id, or remove it"),
        seed("| ui |", "| TBD |", "50: \"TBD\" is a placeholder: replace it, or remove it"),
    ]),
    ("story-skeleton", &[
        seed("# US-0022: ", "# ", "1: the story has no id: begin with `# US-0001: Title`"),
        seed("- **I want** to reset my password\n", "", "1: what is wanted is missing: add `- **I want** to …`"),
        seed("**Points:** 3", "**Points:** many", "6: the field \"points\" is \"many\", but must be a whole number from 0 to 100 (The story points)"),
        seed("- The old password stops working", "- TBD", "16: \"TBD\" is a placeholder: replace it, or remove it"),
        seed("**Status:** draft", "**Status:** draft\n- **Depends on:** US-0022", "8: the story depends on itself (US-0022)"),
        seed("**Status:** draft", "**Status:** draft\n- **Depends on:** US-0001, US-0999", "8: US-0999 is not in the project: correct the id, or remove it"),
        seed("- The old password stops working", "- A\n- A", "17: the same as line 16"),
        seed("- Mail goes out through the outbox", "- \\<what an implementer must know>", "20: <what an implementer must know> is a blank: fill it in, or remove it"),
    ]),
    ("tech-debt-register", &[
        seed("# Technical debt", "Technical debt", "1: the title is missing: begin with `# Technical debt`"),
        seed("| 8.0 |", "| 9.0 |", "15: the score must be 8.00: 4 x 4 / 2"),
        seed("| 4 | 4 | 2 | 8.0 |", "| 1 | 1 | 2 | 0.5 |", "16: the highest score comes first"),
        seed("| 4 | 4 | 2 |", "| 7 | 4 | 2 |", "15: impact is \"7\", but must be a whole number from 1 to 5"),
        seed("Postage tables are edited by hand", "Browser tests sleep instead of waiting", "17: this debt is already on line 16"),
        seed("## Register", "## Open questions", "9: open questions are left: answer them and remove the section"),
        seed("US-0008", "US-0808", "17: US-0808 is not in the project: correct the id, or remove it"),
    ]),
    ("test-case-generator", &[
        seed("  Then A link cannot be used twice\n", "", "6: TC-C1-P1: nothing follows: add a Then"),
        seed("| TC-C1-P1 |", "| |", "39: AC-C1 has no case"),
        seed("| TC-C1-P1 |", "| TC-C1-P1, TC-C1-P2 |", "39: there is no case TC-C1-P2"),
        seed("@TC-C2-E1", "@TC-C2-P1", "28: TC-C2-P1 is the id of the one in line 18 too"),
        seed("Then A link cannot be used twice", "Then <what happens then>", "6: TC-C1-P1: <what happens then> is a blank"),
    ]),
];

/// Fewest faults in the table.
const FEWEST: usize = 80;

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
    assert!(TABLE.iter().map(|(_, seeds)| seeds.len()).sum::<usize>() >= FEWEST);
}

#[test]
fn no_example_has_a_finding_and_every_skill_is_in_the_table() {
    let here = context(Path::new("."));
    let seeded: BTreeMap<&str, usize> =
        TABLE.iter().map(|(skill, seeds)| (*skill, seeds.len())).collect();
    for skill in SKILLS {
        let Some(verify) = skill.verify else { continue };
        let example = example_output(skill.name).artifacts[0].text.clone();
        assert_eq!(verify(&example, &here), [], "{}", skill.name);
        // The SQL of a migration has a separate test.
        let fewest = if skill.name == "sql-schema-generator" { 0 } else { 4 };
        assert!(seeded.get(skill.name).copied().unwrap_or(0) >= fewest, "{}", skill.name);
    }
}
