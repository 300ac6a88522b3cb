//! Opens an address in the user's browser, where there is one.

use std::env;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread;

/// The variables of which one is set where windows can be shown.
const DISPLAYS: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];

/// Opens it. Without a browser nothing happens: the address is printed too.
pub(super) fn open(address: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if !cfg!(target_os = "macos") && !DISPLAYS.into_iter().any(is_set) {
        return;
    }
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C is for the demo.
    if let Ok(mut child) = command.process_group(0).spawn() {
        let _ = thread::Builder::new().spawn(move || child.wait());
    }
}
