//! Who opens, writes and closes a file, reported by inotify.

use std::io;
use std::os::fd::BorrowedFd;

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};

use super::proc::path_of;
use crate::system::types::FileEvent;

/// Identifies a file that is watched.
pub type WatchId = WatchDescriptor;

/// A queue of events.
#[derive(Debug)]
pub struct FileEvents(Inotify);

impl FileEvents {
    /// A queue that watches no file yet; `None` if the system reports no such events.
    ///
    /// # Errors
    /// When this user may have no more of them.
    pub fn open() -> io::Result<Option<Self>> {
        let inotify = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC)?;
        Ok(Some(Self(inotify)))
    }

    /// Watches an open file, if the system can.
    pub fn watch(&self, file: BorrowedFd<'_>) -> Option<WatchId> {
        let events = AddWatchFlags::IN_OPEN | AddWatchFlags::IN_MODIFY | AddWatchFlags::IN_CLOSE;
        // By the descriptor: the path may lead to another file by now.
        self.0.add_watch(&path_of(file)?, events).ok()
    }

    /// Ends a watch.
    pub fn unwatch(&self, watch: WatchId) {
        // Fails if the file no longer exists; its watch is gone too.
        let _ = self.0.rm_watch(watch);
    }

    /// The next events; none if none is left now. The system queues 16,384 at most.
    ///
    /// # Errors
    /// I/O errors of the system: events were lost.
    pub fn read(&self) -> io::Result<Vec<(WatchId, FileEvent)>> {
        match self.0.read_events() {
            Ok(events) => {
                Ok(events.into_iter().map(|event| (event.wd, kind(event.mask))).collect())
            }
            Err(Errno::EAGAIN) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}

fn kind(mask: AddWatchFlags) -> FileEvent {
    let kinds = [
        (AddWatchFlags::IN_IGNORED, FileEvent::Gone),
        (AddWatchFlags::IN_Q_OVERFLOW, FileEvent::Lost),
        (AddWatchFlags::IN_MODIFY, FileEvent::Written),
        (AddWatchFlags::IN_CLOSE_WRITE, FileEvent::WriterClosed),
        (AddWatchFlags::IN_CLOSE_NOWRITE, FileEvent::ReaderClosed),
    ];
    kinds
        .into_iter()
        .find(|(flag, _)| mask.contains(*flag))
        .map_or(FileEvent::Opened, |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn what_is_done_with_a_file_is_reported_once_and_in_order() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let events = FileEvents::open().unwrap().unwrap();
        let watch = events.watch(file.as_fd()).unwrap();
        drop(File::options().append(true).open(file.path()).unwrap());
        drop(File::open(file.path()).unwrap());
        let told: Vec<FileEvent> =
            events.read().unwrap().into_iter().map(|(_, event)| event).collect();
        let wrote = [FileEvent::Opened, FileEvent::WriterClosed];
        assert_eq!(told, [wrote, [FileEvent::Opened, FileEvent::ReaderClosed]].concat());
        assert_eq!(events.read().unwrap(), []);
        events.unwatch(watch);
        assert_eq!(events.read().unwrap(), [(watch, FileEvent::Gone)]);
    }
}
