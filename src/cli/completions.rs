//! `flow completions SHELL`, and the candidates that its script requests at each completion.

use std::ffi::OsString;

use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};

use super::args::shells;
use super::command_output::CommandOutput;
use super::invocation::Invocation;
use crate::error::{Error, Result};

/// The variable in which a script names its shell when it requests candidates.
const VARIABLE: &str = "FLOW_COMPLETE";

/// What zsh needs where it loads the script itself, as `_flow` of its `fpath`: that happens at the first completion, for which
/// the script only registers a function.
const ZSH_AUTOLOADED: &str =
    "if [ \"$funcstack[1]\" = _flow ]; then _clap_dynamic_completer_flow \"$@\"; fi\n";

/// The script for a shell. It calls this program at each completion.
pub(super) fn completions(invocation: &Invocation, shell: Shell) -> Result<CommandOutput> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let program = invocation.program_path();
    let completer = shells
        .completer(&shell.to_string())
        .ok_or_else(|| Error::Usage(format!("there are no completions for {shell}")))?;
    completer
        .write_registration(VARIABLE, "flow", "flow", &program.to_string_lossy(), &mut script)
        .map_err(|error| Error::io("write the completions", error))?;
    if shell == Shell::Zsh {
        script.extend_from_slice(ZSH_AUTOLOADED.as_bytes());
    }
    Ok(CommandOutput::shown(String::from_utf8_lossy(&script).into_owned()))
}

/// Prints the candidates if a script requests them; `false` for any other call.
pub(super) fn complete(argv: &[OsString]) -> Result<bool> {
    if argv.is_empty() {
        return Ok(false);
    }
    CompleteEnv::with_factory(shells::definition_for_shells)
        .var(VARIABLE)
        .try_complete(argv, std::env::current_dir().ok().as_deref())
        .map_err(|error| Error::Usage(error.to_string()))
}
