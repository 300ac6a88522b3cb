//! A word to the service manager, where one listens (`NOTIFY_SOCKET`). Nothing depends on it being heard.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixDatagram;

use flow_files::system::send_abstract;

/// Sends one word, for example `READY=1`. A manager that does not listen is not our trouble, and is logged.
pub(crate) fn notify(word: &str) {
    let Some(target) = std::env::var_os("NOTIFY_SOCKET").filter(|target| !target.is_empty()) else {
        return;
    };
    if let Err(error) = send(&target, word.as_bytes()) {
        tracing::warn!(%error, "could not notify the service manager");
    }
}

fn send(target: &OsString, word: &[u8]) -> io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    match target.as_bytes() {
        [b'@', name @ ..] => send_abstract(&socket, name, word),
        _ => socket.send_to(word, target).map(drop),
    }
}
