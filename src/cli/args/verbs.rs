//! The verbs of `flow skill`. No skill has the name of one.

/// A verb of `flow skill`.
#[derive(Debug)]
pub(in crate::cli) struct Verb {
    pub(in crate::cli) name: &'static str,
    /// What follows it, as in the help.
    pub(in crate::cli) arguments: &'static str,
    /// What it does, for the help.
    pub(in crate::cli) about: &'static str,
}

/// The verbs.
pub(in crate::cli) const VERBS: [Verb; 9] = [
    Verb {
        name: "list",
        arguments: "",
        about: "List the built-in skills and the templates of the project",
    },
    Verb { name: "show", arguments: " NAME", about: "Print the documentation of a skill" },
    Verb {
        name: "schema",
        arguments: " NAME",
        about: "Print the input of a skill as a JSON Schema",
    },
    Verb {
        name: "check",
        arguments: "",
        about: "Run each built-in skill on its example, and parse each template of the project",
    },
    Verb {
        name: "install",
        arguments: " [NAME…|--all] [--to DIR] [--force]",
        about: "Copy skills, by default the six reports, to the project's .claude/skills or to another folder",
    },
    Verb {
        name: "add",
        arguments: " PATH…, or flow skill add --all [--yes]",
        about: "Trust templates of the project, so that they run as skills",
    },
    Verb {
        name: "remove",
        arguments: " NAME",
        about: "Remove the trust in a template; its file is kept",
    },
    Verb {
        name: "chain",
        arguments: " NAME NAME… [TEXT] [KEY=VALUE]… [--out DIR]",
        about: "Run skills in order, each with the output of the previous one",
    },
    Verb {
        name: "verify",
        arguments: " [NAME] [FILE]…",
        about: "Check artifacts, by default standard input, and print their faults; the skill is recognised",
    },
];

/// The verb with this name.
pub(in crate::cli) fn verb(name: &str) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| verb.name == name)
}
