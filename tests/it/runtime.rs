//! The lock of a server, held by another program. `tests/cases/runtime` shows runtime files that are removed, away for a
//! moment, locked, or another user's; `tests/cases/api` those that a crash left, links, and modes of their folder.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::time::Instant;

use crate::support::{Project, is_portable};
use crate::tools::figure;

#[test]
fn a_lock_that_another_program_holds_is_named_soon() {
    let project = Project::new();
    project.start();
    let path = project.file("api-server.lock");
    project.flow(&["api", "stop"]).expect(0);
    let file = File::options().write(true).create_new(true).mode(0o600).open(&path).unwrap();
    file.lock_shared().unwrap();
    let begun = Instant::now();
    let said = project.flow(&["api", "start", "PORT=0"]).expect(1);
    figure("held_lock_named_after_ms", begun.elapsed().as_millis());
    let pid = format!("(pid {})", std::process::id());
    assert!(
        said.err.contains(&pid) != is_portable() && said.err.contains("api-server.lock"),
        "{said:?}"
    );
    assert!(said.err.contains("end it and start again"), "{said:?}");
}
