//! The commands that show a project in a terminal.

use clap::Subcommand;

use crate::cli::watch::Times;

/// The commands as typed.
#[derive(Debug, Subcommand)]
pub(super) enum RawView {
    /// Show what needs you, what the agents do and what changed, and update it on each change
    Watch {
        /// Print it once, for scripts
        #[arg(long)]
        once: bool,
        /// The current time for ages (RFC 3339 or a date)
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
    },
    /// Print one line for prompts and status bars: 3 running · 1 blocked · 2 need you
    Statusline,
    /// Find the reasons why the project is not served as it is on disk, with a remedy for each; exit code 1 if there are any
    Doctor,
    /// Show where a record or message comes from: file, line, aliases, and what was skipped or repaired nearby
    Explain {
        /// The id of a story, epic, session, task or message, or a line of the log as bus:LINE
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// The commands as carried out.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cli) enum View {
    Watch { times: Times, now: Option<String> },
    Statusline,
    Doctor,
    Explain { id: String },
}

impl From<RawView> for View {
    fn from(raw: RawView) -> Self {
        match raw {
            RawView::Watch { once, now } => {
                Self::Watch { times: if once { Times::Once } else { Times::OnEachChange }, now }
            }
            RawView::Statusline => Self::Statusline,
            RawView::Doctor => Self::Doctor,
            RawView::Explain { id } => Self::Explain { id },
        }
    }
}
