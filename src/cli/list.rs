//! `flow api list`.

use serde_json::{Value, json};

use super::command_output::CommandOutput;
use super::{status, text};
use crate::daemon::{self, Listed};

/// Every server of this user.
pub(super) fn list() -> CommandOutput {
    let daemons = daemon::list();
    let facts: Vec<Value> = daemons.iter().map(facts).collect();
    CommandOutput {
        facts: json!({"count": facts.len(), "daemons": facts}),
        result: text::list(&daemons),
        ..CommandOutput::quiet()
    }
}

fn facts(daemon: &Listed) -> Value {
    let Some((status, health)) = &daemon.answer else {
        return json!({"running": true, "project": daemon.root.to_string_lossy(), "health": null});
    };
    let mut facts = status::facts(status);
    facts["health"] = json!(health);
    facts
}
