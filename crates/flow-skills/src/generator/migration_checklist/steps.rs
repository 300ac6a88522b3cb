//! The checklist's commands, as steps that `deployment-guide-generator` reads. What no command is known for comes from a
//! variable, and that is asked.

use serde_json::{Value, json};

use super::place::{System, Variable};
use super::{Move, Way};

/// The steps, their variables, and what is asked.
pub(super) struct Steps {
    pub(super) list: Vec<Value>,
    pub(super) env: Vec<Value>,
    pub(super) open: Option<String>,
}

const BEFORE: &str = "counts-before.txt";
const AFTER: &str = "counts-after.txt";
/// What shows that a script ran where no table can be asked.
const STOPS: &str = "true # the command itself stops at the first error";

/// Makes the steps.
pub(super) fn steps(own: &Move) -> Steps {
    let (source, target) = (System::of(&own.from), System::of(&own.to));
    let (from, to) = match own.way {
        Way::InPlace => ("DATABASE", "DATABASE"),
        Way::Between => ("SOURCE", "TARGET"),
    };
    let mut steps = Vec::new();
    let mut missing: Vec<Variable> = Vec::new();
    let (backup, file) = source.backup(from).unwrap_or_else(|| {
        missing.push(("BACKUP_COMMAND".into(), "the command that writes the file backup"));
        ("sh -c \"$BACKUP_COMMAND\"".into(), "backup")
    });
    steps.push(step(
        "Make a backup",
        &backup,
        &format!("test -s {file}"),
        &format!("rm -f {file}"),
    ));
    let counts = source.counts(from, &own.before, BEFORE).zip(target.counts(to, &own.after, AFTER));
    if let Some((before, _)) = &counts {
        steps.push(count("Count the rows before", before, BEFORE));
    }
    steps.push(moved(own, target, (to, &mut missing)));
    match &counts {
        Some((_, after)) if own.way == Way::Between || own.before == own.after => {
            steps.push(compared(after));
        }
        _ => {
            if let Some(after) = target.counts(to, &own.after, AFTER) {
                steps.push(count("Count the rows after", &after, AFTER));
            }
        }
    }
    let known = source.variables(from).into_iter().chain(target.variables(to));
    let env = each_once(known.chain(missing.iter().cloned()));
    let names: Vec<&str> = missing.iter().map(|(name, _)| name.as_str()).collect();
    let open = (!names.is_empty()).then(|| {
        format!(
            "Which commands do the work of this move? The steps read them from {}.",
            names.join(", ")
        )
    });
    Steps { list: steps, env, open }
}

/// The variables as data. Source and target may need the same one.
fn each_once(variables: impl Iterator<Item = Variable>) -> Vec<Value> {
    let mut once: Vec<Value> = Vec::new();
    for (name, description) in variables {
        let variable = json!({ "name": name, "description": description });
        if !once.contains(&variable) {
            once.push(variable);
        }
    }
    once
}

fn step(name: &str, command: &str, verify: &str, rollback: &str) -> Value {
    json!({ "name": name, "command": command, "verify": verify, "rollback": rollback })
}

fn count(name: &str, command: &str, file: &str) -> Value {
    step(name, command, &format!("test -s {file}"), &format!("rm -f {file}"))
}

fn compared(after: &str) -> Value {
    let numbers = |file: &str| format!("sed 's/.*[|[:blank:]]//' {file}");
    let verify = format!("test \"$({})\" = \"$({})\"", numbers(BEFORE), numbers(AFTER));
    step("Count the rows after, and compare", after, &verify, &format!("rm -f {AFTER}"))
}

/// The move itself.
fn moved(own: &Move, target: System, (to, missing): (&str, &mut Vec<Variable>)) -> Value {
    let scripts = target.script(to, "up.sql").zip(target.script(to, "down.sql"));
    if own.way == Way::InPlace
        && let Some((up, down)) = scripts
    {
        // Each table that there is to be can be counted.
        let verify = target.counts(to, &own.after, "/dev/null").unwrap_or_else(|| STOPS.to_owned());
        return step("Run the migration", &up, &verify, &down);
    }
    missing.push(("MOVE_COMMAND".into(), "the command that moves the data"));
    missing.push(("CHECK_COMMAND".into(), "the command that shows that they are there"));
    missing.push(("BACK_COMMAND".into(), "the command that takes the move back"));
    let run = |name: &str| format!("sh -c \"${name}\"");
    step("Move the data", &run("MOVE_COMMAND"), &run("CHECK_COMMAND"), &run("BACK_COMMAND"))
}
