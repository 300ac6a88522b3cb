//! Files of environment variables (`.env`). Only the names are read: a value may be a secret.

use serde_json::Value;

use crate::output::{Fault, Result};
use crate::text::is_variable;

/// Largest number of variables.
const MOST: usize = 1_000;

/// Whether each statement of a text sets a variable in upper case.
pub fn is_dotenv(text: &str) -> bool {
    let is_usual =
        |name: &Value| name.as_str().is_some_and(|name| !name.contains(char::is_lowercase));
    read(text).is_ok_and(|names| !names.is_empty() && names.iter().all(is_usual))
}

/// The names of the variables, each once.
///
/// # Errors
/// The number of the first line that sets no variable, without its text; or too many variables.
pub(super) fn names(text: &str) -> Result<Vec<Value>> {
    let names = read(text)?;
    if names.len() > MOST {
        return Err(Fault::Unreadable(format!("there are over {MOST} environment variables")));
    }
    Ok(names)
}

/// The names, of which more than [`MOST`] are not read.
fn read(text: &str) -> Result<Vec<Value>> {
    let mut names: Vec<Value> = Vec::new();
    let mut open: Option<char> = None;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        // The rest of a value in quotes, which may have several lines.
        if let Some(quote) = open {
            open = open.filter(|_| !line.contains(quote));
            continue;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let pair = line.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = pair.filter(|(name, _)| is_variable(name)) else {
            return Err(Fault::Unreadable(format!(
                "line {} of the environment variables is not NAME=value",
                at + 1
            )));
        };
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        open = quote.filter(|quote| value.matches(*quote).count() == 1);
        if names.iter().any(|known| known == name) {
            continue;
        }
        names.push(name.into());
        if names.len() > MOST {
            break;
        }
    }
    Ok(names)
}
