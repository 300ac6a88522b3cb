//! No skill finds a fault in its own example, and the cases put faults into each.

use std::fs;
use std::path::Path;

use flow::skill::generator::SKILLS;

use super::golden::example_output;
use super::making::context;

/// A skill's faults are in the cases: `faults.in` of its folder, or that of the reports.
#[test]
fn no_example_has_a_finding_and_every_skill_has_faults() {
    let here = context(Path::new("."));
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let of_reports = fs::read_to_string(cases.join("reports/faults.in")).unwrap();
    for skill in SKILLS {
        let Some(verify) = skill.verify else { continue };
        let example = example_output(skill.name).artifacts[0].text.clone();
        assert_eq!(verify(&example, &here), [], "{}", skill.name);
        let has_faults = of_reports.contains(&format!("\nfault {} ", skill.name))
            || cases.join(skill.name).join("faults.in").exists();
        // The SQL of a migration has a separate test.
        assert!(has_faults || skill.name == "sql-schema-generator", "{}", skill.name);
    }
}
