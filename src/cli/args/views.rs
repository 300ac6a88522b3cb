//! The commands that show a project in a terminal.

use clap::Subcommand;

#[derive(Debug, PartialEq, Eq, Subcommand)]
pub(in crate::cli) enum View {
    /// Show what needs you, what the agents do and what changed, and update it on each change
    Watch {
        /// Print it once, for scripts
        #[arg(long)]
        once: bool,
        /// The current time for ages (RFC 3339 or a date)
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
    },
    /// Print one line for prompts and status bars: 3 running · 3 need you (1 blocked)
    Statusline,
    /// Find the reasons why the project is not served as it is on disk, with a remedy for each; exit code 1 if there are any
    Doctor,
    /// Show where a record or message comes from: file, line, aliases, and problems in it and nearby
    Explain {
        /// The id of a story, epic, session, task or message, or a line of the log as bus:LINE
        #[arg(value_name = "ID")]
        id: String,
    },
}
