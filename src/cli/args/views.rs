//! The commands that show a project in a terminal.

use clap::{Args, Subcommand};

use super::port::port;

#[derive(Debug, PartialEq, Eq, Subcommand)]
pub(in crate::cli) enum View {
    /// Show flow with a project of its own, in which agents work for ten minutes; nothing is left behind
    #[command(after_help = DEMO_HELP)]
    Demo(Demo),
    /// Show what needs you, what the agents do and what changed, and update it on each change
    Watch(Watch),
    /// Wait until something needs you, the plan changes, or a record has a status; print it, with a cursor to go on from
    #[command(after_help = WAIT_HELP)]
    Wait(Wait),
    /// Print one line for prompts and status bars: 3 running · 3 need you (1 blocked)
    Statusline {
        /// The sums of all projects of this user that are served
        #[arg(long)]
        all: bool,
    },
    /// Find the reasons why the project is not served as it is on disk, with a remedy for each; exit code 1 if there are any
    Doctor,
    /// Show where a record or message comes from: file, line, aliases, and problems in it and nearby
    Explain {
        /// The id of a story, epic, session, task or message, or a line of the log as bus:LINE
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Show what changed in the plan, first what was taken back: open tasks that are gone, criteria that say less
    #[command(after_help = DIFF_HELP)]
    Diff(Diff),
    /// Show the known changes of the plan, newest first: recorded by the server, and before that by git's commits
    #[command(after_help = HISTORY_HELP, args_conflicts_with_subcommands = true)]
    History(History),
}

/// What is shown, and how often.
#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(in crate::cli) struct Watch {
    /// Print it once, for scripts
    #[arg(long)]
    pub(in crate::cli) once: bool,
    /// The current time for ages (RFC 3339 or a date)
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) now: Option<String>,
    /// Show all projects of this user that are served, in one list
    #[arg(long)]
    pub(in crate::cli) all: bool,
}

/// How the demo is shown.
#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(in crate::cli) struct Demo {
    /// Print what one would see, and end
    #[arg(long)]
    pub(in crate::cli) once: bool,
    /// The port (default: any free one)
    #[arg(long, value_name = "PORT", value_parser = port, allow_negative_numbers = true)]
    pub(in crate::cli) port: Option<u16>,
    /// Do not open the page in the browser
    #[arg(long)]
    pub(in crate::cli) no_open: bool,
}

/// What the help of `demo` ends with.
const DEMO_HELP: &str = "\
The project lies in a new folder for temporary files, and is served by this process. Ctrl-C, SIGTERM or the end of the \
ten minutes stops the server and removes the folder.";

/// What is waited for.
#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(in crate::cli) struct Wait {
    /// needs-you (the default), change, 'story US-0010 done', 'no running tasks'
    #[arg(value_name = "CONDITION")]
    pub(in crate::cli) condition: Vec<String>,
    /// Give up after a time, such as 30s, 10m or 2h (default: 30 days); 0 looks once
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) timeout: Option<String>,
    /// Report what happened since an earlier call; start reports what needs you now, too
    #[arg(long, value_name = "CURSOR")]
    pub(in crate::cli) since: Option<String>,
}

/// What the help of `wait` ends with.
const WAIT_HELP: &str = "\
Conditions:
  needs-you                 a new item of what needs you, as in flow watch (the default)
  change                    a change of the plan, as in flow history
  'story US-0010 done'      any status, also of an epic, task or session; at once if it has it
  'no running tasks'        any state, also of stories, epics, and active sessions

Examples:
  flow wait && notify-send \"$(flow statusline)\"
  flow wait 'task task-0007 completed' --timeout 10m
  flow wait change --since \"$cursor\" --json

Exit code 0 when it holds, 1 after the time, 2 for an unknown condition, id or cursor";

/// Which changes are shown.
#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(in crate::cli) struct History {
    #[command(subcommand)]
    pub(in crate::cli) action: Option<HistoryAction>,
    /// Those of one story, epic or task
    #[arg(value_name = "ID")]
    pub(in crate::cli) id: Option<String>,
    /// Those since a time, such as yesterday, monday or 2026-03-10
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) since: Option<String>,
    /// Only what was taken back or reopened, or is completed with open parts
    #[arg(long)]
    pub(in crate::cli) weakened: bool,
    /// List every row, not only the newest 50
    #[arg(long)]
    pub(in crate::cli) all: bool,
}

/// What else is done with the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub(in crate::cli) enum HistoryAction {
    /// Read what all commits before the first recorded change did to the plan
    Import,
}

/// What the help of `history` ends with.
const HISTORY_HELP: &str = "\
Examples:
  flow history                      the newest changes
  flow history US-0042              those of a story, also of one that is gone
  flow history --weakened --since monday
  flow history import               read all commits; a start reads the last 500";

/// The states that are compared.
#[derive(Debug, Default, PartialEq, Eq, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(in crate::cli) struct Diff {
    /// The earlier state: a commit, branch or tag, or a time such as yesterday (default: HEAD)
    #[arg(value_name = "FROM")]
    pub(in crate::cli) from: Option<String>,
    /// Compare with the files as they were at your last `flow diff --since-last`
    #[arg(long, conflicts_with_all = ["from", "to"])]
    pub(in crate::cli) since_last: bool,
    /// The later state (default: the current files)
    #[arg(value_name = "TO")]
    pub(in crate::cli) to: Option<String>,
    /// List every change
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// Exit with 1 if the plan promises less, and with 2 if that is not known
    #[arg(long)]
    pub(in crate::cli) exit_code: bool,
    /// Print Markdown, for a comment on a pull request
    #[arg(long)]
    pub(in crate::cli) markdown: bool,
}

/// What the help of `diff` ends with.
const DIFF_HELP: &str = "\
Examples:
  flow diff                 the current files, compared with HEAD
  flow diff origin/main     from where origin/main and HEAD parted to the current files
  flow diff v1.0 HEAD       two commits; A..B and A...B are read as by git
  flow diff --since-last    from your last flow diff --since-last to the current files
  flow diff yesterday       from the last commit before a time; @monday if a branch has that name

Exit code 0; with --exit-code 1 if the plan promises less, 2 if that is not known";
