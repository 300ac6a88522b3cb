//! The outputs of the examples, in which no skill finds a fault; the cases put faults into each.

use std::fs;
use std::path::Path;

use flow::skill::generator::SKILLS;

use super::golden::{example, example_output, golden};
use super::making::{context, make};

/// Other outputs of an example: the skill, a field with its value, the artifact, and its file.
const OTHERS: [(&str, &str, &str, usize, &str); 4] = [
    ("diagram-generator", "format", "ascii", 0, "example.out.txt"),
    ("error-handler-template", "language", "typescript", 0, "example.out.ts"),
    ("error-handler-template", "language", "python", 0, "example.out.py"),
    ("sql-schema-generator", "dialect", "postgresql", 1, "example.down.sql"),
];

#[test]
fn the_examples_give_their_goldens() {
    for skill in SKILLS {
        example_output(skill.name);
    }
    for (skill, field, value, at, file) in OTHERS {
        let mut fields = example(skill);
        fields[field] = value.into();
        golden(skill, file, &make(skill, fields).unwrap().artifacts[at].text);
    }
}

/// A skill's faults are in the cases: `faults.in` of its folder, or that of the reports.
#[test]
fn no_example_has_a_finding_and_every_skill_has_faults() {
    let here = context(Path::new("."));
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let of_reports = fs::read_to_string(cases.join("reports/faults.in")).unwrap();
    for skill in SKILLS {
        let Some(verify) = skill.verify else { continue };
        let example = example_output(skill.name).artifacts[0].text.clone();
        // Only people tick the other boxes of a pull request.
        let ticked = |line: &str| match line.strip_prefix("- [ ] ") {
            Some(text) if skill.name == "pr-description" => format!("- [x] {text} (seen)\n"),
            _ => format!("{line}\n"),
        };
        let mut findings = verify(&example.lines().map(ticked).collect::<String>(), &here);
        findings.retain(|one| !one.is_note);
        assert_eq!(findings, [], "{}", skill.name);
        let has_faults = of_reports.contains(&format!("\nfault {} ", skill.name))
            || cases.join(skill.name).join("faults.in").exists();
        // The SQL of a migration has a separate test.
        assert!(has_faults || skill.name == "sql-schema-generator", "{}", skill.name);
    }
}
