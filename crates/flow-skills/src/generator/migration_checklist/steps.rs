//! The checklist's commands, as steps for a deployment guide. A command that is not known is read from a variable,
//! which is listed and becomes an open question.

use super::change::{Change, Of};
use super::place::System;
use super::{Command, Input};
use crate::generator::steps::{NOTHING, Step, Variable};
use crate::input::values::Line;

/// The steps, their variables, and the open questions.
pub(super) struct Steps {
    pub(super) list: Vec<Step>,
    pub(super) env: Vec<Variable>,
    pub(super) open: Option<String>,
}

const BEFORE: &str = "counts-before.txt";
const AFTER: &str = "counts-after.txt";
/// Shows that a script ran if there is no table to query.
const STOPS: &str = "true # the command itself stops at the first error";

pub(super) fn steps(input: &Input, change: &Change) -> Steps {
    let mut maker = Maker { input, missing: Vec::new(), asked: Vec::new(), list: Vec::new() };
    let known = match change.of {
        Of::Data => maker.data(change),
        Of::Schema => maker.schema(change),
        Of::Version => maker.version(change),
        Of::Service => maker.service(),
    };
    let mut env: Vec<Variable> = Vec::new();
    for variable in known.into_iter().chain(maker.missing.iter().cloned()) {
        // Source and target may need the same variable.
        let is_read =
            maker.list.iter().flat_map(Step::commands).any(|command| variable.is_read_by(command));
        if is_read && env.iter().all(|known| known.name != variable.name) {
            env.push(variable);
        }
    }
    let forms: Vec<String> = maker.asked.iter().map(|field| format!("{field}=COMMAND")).collect();
    let open =
        (!forms.is_empty()).then(|| format!("commands: not given (add {})", forms.join(" ")));
    Steps { list: maker.list, env, open }
}

fn step(
    name: &str,
    command: impl Into<String>,
    verify: impl Into<String>,
    rollback: impl Into<String>,
) -> Step {
    Step {
        name: Line::new(name).ok(),
        command: Command::written(command),
        verify: Command::written(verify),
        rollback: Command::written(rollback),
    }
}

/// A step that writes a file.
fn writes(name: &str, command: String, file: &str) -> Step {
    step(name, command, format!("test -s {file}"), format!("rm -f {file}"))
}

fn compared(after: String) -> Step {
    let numbers = |file: &str| format!("sed 's/.*[|[:blank:]]//' {file}");
    let verify = format!("test \"$({})\" = \"$({})\"", numbers(BEFORE), numbers(AFTER));
    step("Count the rows after, and compare", after, verify, format!("rm -f {AFTER}"))
}

struct Maker<'a> {
    input: &'a Input,
    /// Variables for commands that are not known.
    missing: Vec<Variable>,
    /// The fields that would give them.
    asked: Vec<&'static str>,
    list: Vec<Step>,
}

impl Maker<'_> {
    /// A given command, else one in a variable.
    fn command(&mut self, given: Option<&Command>, name: &str, description: &str) -> String {
        if let Some(command) = given {
            return command.to_string();
        }
        if self.missing.iter().all(|known| known.name.0 != name) {
            self.missing.push(Variable::required(name, description));
        }
        format!("sh -c \"${name}\"")
    }

    fn backup(&mut self, system: System, side: &str) {
        let stated = self.input.backup.as_ref();
        let known = system.backup(side).filter(|_| stated.is_none());
        if stated.is_none() && known.is_none() {
            self.asked.push("backup");
        }
        let description = "the command that writes the file backup";
        let own = || (self.command(stated, "BACKUP_COMMAND", description), "backup");
        let (command, file) = known.unwrap_or_else(own);
        self.list.push(writes("Make a backup", command, file));
    }

    /// The change itself, by given commands or by variables with these names.
    fn main(&mut self, name: &str, run: (&str, &str), check: (&str, &str), back: (&str, &str)) {
        let Input { run: own, check: own_check, back: own_back, .. } = self.input;
        let all = [("run", own), ("check", own_check), ("back", own_back)];
        let missing = all.into_iter().filter(|(_, given)| given.is_none());
        self.asked.extend(missing.map(|(field, _)| field));
        let command = self.command(own.as_ref(), run.0, run.1);
        let verify = self.command(own_check.as_ref(), check.0, check.1);
        let rollback = self.command(own_back.as_ref(), back.0, back.1);
        self.list.push(step(name, command, verify, rollback));
    }

    fn data(&mut self, change: &Change) -> Vec<Variable> {
        let (source, target) = (System::of(&change.from), System::of(&change.to));
        self.backup(source, "SOURCE");
        let before = source.counts("SOURCE", &change.before, BEFORE);
        let counts = before.zip(target.counts("TARGET", &change.after, AFTER));
        if let Some((before, _)) = &counts {
            self.list.push(writes("Count the rows before", before.clone(), BEFORE));
        }
        self.main(
            "Move the data",
            ("MOVE_COMMAND", "the command that moves the data"),
            ("CHECK_COMMAND", "the command that shows that they are there"),
            ("BACK_COMMAND", "the command that takes the move back"),
        );
        if let Some((_, after)) = counts {
            self.list.push(compared(after));
        } else if let Some(after) = target.counts("TARGET", &change.after, AFTER) {
            self.list.push(writes("Count the rows after", after, AFTER));
        }
        [source.variables("SOURCE"), target.variables("TARGET")].concat()
    }

    fn schema(&mut self, change: &Change) -> Vec<Variable> {
        let (system, side) = (System::of(&change.from), "DATABASE");
        self.backup(system, side);
        let before = system.counts(side, &change.before, BEFORE);
        let counts = before.zip(system.counts(side, &change.after, AFTER));
        if let Some((before, _)) = &counts {
            self.list.push(writes("Count the rows before", before.clone(), BEFORE));
        }
        let [up, down] = change.files();
        let scripts = system.script(side, up).zip(system.script(side, down));
        if let Some((up, down)) = scripts.filter(|_| self.input.run.is_none()) {
            // The rows of each table in the target can be counted.
            let verify = system.counts(side, &change.after, "/dev/null");
            let verify = verify.unwrap_or_else(|| STOPS.to_owned());
            self.list.push(step("Run the migration", up, verify, down));
        } else {
            self.main(
                "Run the migration",
                ("MOVE_COMMAND", "the command that runs the migration"),
                ("CHECK_COMMAND", "the command that shows that it ran"),
                ("BACK_COMMAND", "the command that rolls it back"),
            );
        }
        match counts {
            Some((_, after)) if change.before == change.after => self.list.push(compared(after)),
            _ => {
                let after = system.counts(side, &change.after, AFTER);
                self.list.extend(after.map(|after| writes("Count the rows after", after, AFTER)));
            }
        }
        let files = [
            Variable::required("MIGRATION_FILE", "the SQL file of the migration"),
            Variable::required("ROLLBACK_FILE", "the SQL file that rolls it back"),
        ];
        system.variables(side).into_iter().chain(files).collect()
    }

    fn version(&mut self, change: &Change) -> Vec<Variable> {
        let (system, side) = (System::of(&change.from), "DATABASE");
        if system != System::Other || self.input.backup.is_some() {
            self.backup(system, side);
        }
        let tests = "the command that runs the tests, and fails where one does";
        let run = self.command(None, "TEST_COMMAND", tests);
        self.list.push(step("Run the tests on the old version", run.clone(), NOTHING, NOTHING));
        self.main(
            "Change the version",
            ("UPGRADE_COMMAND", "the command that brings the new version in"),
            ("VERSION_COMMAND", "the command that succeeds where the new version runs"),
            ("DOWNGRADE_COMMAND", "the command that brings the old version back"),
        );
        self.list.push(step("Run the tests on the new version", run, NOTHING, NOTHING));
        system.variables(side)
    }

    fn service(&mut self) -> Vec<Variable> {
        let description = "the command that puts the service into the new place";
        let deploy = self.command(None, "DEPLOY_COMMAND", description);
        let description =
            "the command that succeeds where the new place answers as the old one does";
        let health = self.command(None, "HEALTH_COMMAND", description);
        self.list.push(step("Put the service into the new place", deploy, health, NOTHING));
        self.main(
            "Switch the traffic over",
            ("SWITCH_COMMAND", "the command that leads the traffic to the new place"),
            ("CHECK_COMMAND", "the command that shows that the new place gets the traffic"),
            ("BACK_COMMAND", "the command that leads the traffic back"),
        );
        Vec::new()
    }
}
