//! Reads what this process uses, where the system tells it in `/proc`.

use std::fs;

use crate::web::process_usage::ProcessUsage;

/// Most open files that are counted; the limit of connections is far lower.
const MOST_FILES: usize = 1 << 16;

/// Reads what the process uses now.
pub(crate) fn read(usage: &ProcessUsage) {
    usage.note(resident_bytes(), open_files());
}

fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

fn open_files() -> Option<u64> {
    let count = fs::read_dir("/proc/self/fd").ok()?.take(MOST_FILES).count();
    // One of them is the folder itself, while it is read.
    u64::try_from(count.saturating_sub(1)).ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_and_files_are_told() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 100 * 1024));
        let before = open_files().unwrap();
        let opened: Vec<_> = (0..100).map(|_| fs::File::open("/dev/null").unwrap()).collect();
        // Other tests of this process open and close files at the same time.
        assert!(open_files().unwrap() >= before + 50, "{} files more", opened.len());
    }
}
