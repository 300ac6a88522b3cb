//! The real disk, with what a test does at its calls.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flow::store::disk::{Disk, Open, RealDisk, Stat};

/// A call of the disk, or of a file that it has opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Stat,
    Resolve,
    Open,
    ReadSmall,
    StatOfOpen,
    Read,
}

/// Before each call, `hook` may fail it, or gives the most bytes that one reading gives.
pub(crate) struct Hooked<H> {
    hook: Arc<H>,
    /// Times are rounded down to this many nanoseconds.
    tick: i128,
}

struct HookedFile<H>(Box<dyn Open>, Hooked<H>, PathBuf);

impl<H: Fn(Call, &Path) -> io::Result<usize>> Hooked<H> {
    pub(crate) fn new(hook: H) -> Self {
        Self::coarse(1, hook)
    }

    pub(crate) fn coarse(tick: i128, hook: H) -> Self {
        Self { hook: Arc::new(hook), tick }
    }

    fn rounded(&self, stat: Stat) -> Stat {
        let floor = |time: i128| time - time.rem_euclid(self.tick);
        Stat { modified: floor(stat.modified), changed: floor(stat.changed), ..stat }
    }
}

impl<H: Fn(Call, &Path) -> io::Result<usize> + Send + Sync + 'static> Disk for Hooked<H> {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        (self.hook)(Call::Stat, path)?;
        RealDisk.stat(path).map(|stat| self.rounded(stat))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        (self.hook)(Call::Resolve, path)?;
        RealDisk.resolve(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Open>> {
        (self.hook)(Call::Open, path)?;
        let again = Self { hook: Arc::clone(&self.hook), tick: self.tick };
        Ok(Box::new(HookedFile(RealDisk.open(path)?, again, path.to_path_buf())))
    }

    fn read_small(&self, path: &Path, most: u64) -> io::Result<String> {
        (self.hook)(Call::ReadSmall, path)?;
        RealDisk.read_small(path, most)
    }
}

impl<H: Fn(Call, &Path) -> io::Result<usize> + Send + Sync + 'static> Open for HookedFile<H> {
    fn stat(&self) -> io::Result<Stat> {
        (self.1.hook)(Call::StatOfOpen, &self.2)?;
        self.0.stat().map(|stat| self.1.rounded(stat))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let length = (self.1.hook)(Call::Read, &self.2)?.min(buffer.len());
        self.0.read_at(&mut buffer[..length], offset)
    }
}
