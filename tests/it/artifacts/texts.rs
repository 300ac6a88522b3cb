//! Much text of any kind to each skill.

use flow::skill::runtime::catalog;

use super::making::place;
use crate::tools::scaled;

/// Long texts of every kind for every skill: the result is an artifact or a fault, in time proportional to the
/// length.
#[test]
fn much_text_of_any_kind_is_answered() {
    let size = scaled(5_000, 20_000);
    let repeated = |part: &str| part.repeat(size / part.len());
    let counted = |part: &str| {
        let parts = (0..size / (part.len() + 4)).map(|at| part.replace('#', &at.to_string()));
        parts.collect::<String>()
    };
    let texts = [
        repeated("a -> b; "),
        repeated("x calls y, and "),
        counted("A#: id, b -> A#\n"),
        counted("list u# and "),
        format!("move {} from a to b", counted("t#, ")),
        format!("GET /a;{}", repeated("404;")),
        counted("GET /a#; "),
        repeated("' \" ( [ "),
        repeated("a [b] -> c [d: "),
        repeated("ui "),
    ];
    let (mut answered, mut wrong) = (0, Vec::new());
    for skill in catalog::names() {
        for text in &texts {
            match place(skill, text, &[]) {
                Ok(output) => answered += usize::from(!output.artifacts.is_empty()),
                Err(fault) if fault.to_string().chars().count() > 1_000 => {
                    wrong.push(format!(
                        "{skill}: {}",
                        fault.to_string().chars().take(200).collect::<String>()
                    ));
                }
                Err(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(answered > 50, "{answered}");
}
