//! Records that are not served, or that may not be read as meant: each with its line, and what to write.

use super::finding::{Area, Finding};
use crate::explain::{self, NamedProblem};
use crate::files::Files;
use crate::model::problem::Effect;
use crate::project::{Project, Source};
use crate::store::plans::NOTE;

/// Largest number of records of a file that are listed.
const LISTED: usize = 20;
/// The remedy if the reason does not say what to write.
const CORRECT: &str = "correct it there";

/// The findings about records, at most [`LISTED`] of a file.
pub(super) fn findings(project: &Project, files: &Files) -> Vec<Finding> {
    let snapshot = files.snapshot();
    let problems = match explain::problems(project, &snapshot) {
        Ok(problems) => problems,
        Err(error) => {
            return vec![Finding::new(
                Area::Files,
                error.to_string(),
                "run: flow api get problems; it lists the problems without their lines",
            )];
        }
    };
    let mut found = Vec::new();
    for source in Source::ALL {
        let file = &snapshot.health[source.index()].path;
        let of_file = problems.iter().filter(|problem| problem.file == *file);
        let listed = of_file.filter(|problem| problem.effect != Effect::Repaired.name());
        let before = found.len();
        found.extend(listed.take(LISTED).map(finding));
        let count = snapshot.problems(source).skipped + snapshot.suspicious(source);
        let rest = count.saturating_sub((found.len() - before) as u64);
        if rest > 0 {
            let what = format!("{file}: and {rest} more");
            found.push(Finding::new(Area::Files, what, "run: flow api get problems"));
        }
    }
    let is_of_source =
        |problem: &&NamedProblem| snapshot.health.iter().any(|health| health.path == problem.file);
    // Notes are findings about files.
    let is_of_records = |problem: &&NamedProblem| problem.effect != NOTE && !is_of_source(problem);
    let mut of_formats = problems.iter().filter(is_of_records);
    found.extend(of_formats.by_ref().take(LISTED).map(finding));
    let rest = of_formats.count();
    if rest > 0 {
        let what = format!("the files of other tools: and {rest} more");
        found.push(Finding::new(Area::Files, what, "run: flow api get problems"));
    }
    found
}

fn finding(problem: &NamedProblem) -> Finding {
    let NamedProblem { file, line, place, effect, reason } = problem;
    let at = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
    // A line of the log has no other name.
    let name = if line.is_some_and(|line| *place == format!("line {line}")) {
        String::new()
    } else {
        format!(" {place}:")
    };
    if *effect == Effect::Skipped.name() {
        return Finding::new(Area::Files, format!("{at}:{name} not served: {reason}"), CORRECT);
    }
    let (what, remedy) = parts(reason);
    Finding::new(Area::Files, format!("{at}:{name} {what}"), remedy)
}

/// What is suspicious, and what to write, which follows a semicolon outside of quoted text.
fn parts(reason: &str) -> (&str, &str) {
    let is_outside = |(what, _): &(&str, &str)| what.matches('"').count() % 2 == 0;
    reason.rsplit_once("; ").filter(is_outside).unwrap_or((reason, CORRECT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_is_not_a_part_of_a_quoted_text() {
        assert_eq!(parts(r#"its member "a; b" is bad; write "c""#).1, r#"write "c""#);
        let whole = r#"it depends on "a; b", but no story has this id"#;
        assert_eq!(parts(whole), (whole, CORRECT));
    }
}
