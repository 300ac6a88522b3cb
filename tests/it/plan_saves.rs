//! Writers of a plan's file that save in several steps, or pause within one: a part of the file is never served.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use flow::project::{FormatChoice, Limits};
use flow::store::clock::Now;
use flow::store::disk::RealDisk;
use flow::store::plan_choice::choose;
use flow::store::plan_files::{Look, PlanFiles};

use crate::support::Project;

/// The files of one format, looked at by a clock that the test moves.
struct Followed {
    project: Project,
    files: PlanFiles,
    begun: Now,
}

impl Followed {
    /// Follows the tasks of one spec of Kiro, which has this text.
    fn new(text: &str) -> Self {
        let project = Project::new();
        project.write(".kiro/specs/find/tasks.md", text);
        let formats = choose(&RealDisk, &project.root, &FormatChoice::default()).read;
        let files = PlanFiles::new(&project.root, &formats, Limits::default());
        let begun = Now { instant: Instant::now(), wall: SystemTime::now() };
        let mut followed = Self { project, files, begun };
        followed.at(0);
        followed.at(2_000);
        followed
    }

    fn path(&self) -> PathBuf {
        self.project.root.join(".kiro/specs/find/tasks.md")
    }

    /// The number of boxes that are served, and the last title, so many milliseconds after the start.
    fn at(&mut self, milliseconds: u64) -> (usize, String) {
        let now = Now {
            instant: self.begun.instant + Duration::from_millis(milliseconds),
            // Only the waiting counts: to this clock, the files were written at this moment.
            wall: UNIX_EPOCH,
        };
        self.files.probe(&RealDisk, now, Look::Files);
        let (_, file) = self.files.formats()[0].files().next().unwrap();
        let title = file.records.parts.last().map(|part| part.members["title"].to_string());
        (file.records.parts.len().saturating_sub(1), title.unwrap_or_default())
    }
}

const THREE: &str = "- [ ] 1. Index\n- [ ] 2. Search\n- [ ] 3. Sort the results\n";

#[test]
fn a_writer_that_pauses_within_a_file_loses_no_records() {
    let mut followed = Followed::new(THREE);
    let whole = (3, "\"Sort the results\"".to_owned());
    assert_eq!(followed.at(2_000), whole);
    for (begin, half) in [(3_000, "- [x] 1. Index\n"), (5_000, ""), (7_000, &THREE[..40])] {
        fs::write(followed.path(), half).unwrap();
        for pause in [0, 60, 400, 990] {
            assert_eq!(followed.at(begin + pause), whole, "{half:?} after {pause} ms");
        }
        fs::write(followed.path(), THREE).unwrap();
        assert_eq!(
            (followed.at(begin + 995), followed.at(begin + 1_100)),
            (whole.clone(), whole.clone())
        );
    }
    fs::write(followed.path(), "- [x] 1. Index\n").unwrap();
    assert_eq!(followed.at(9_000), whole);
    assert_eq!(followed.at(10_001), (1, "\"Index\"".to_owned()), "the tail was removed on purpose");
    fs::write(followed.path(), "- [ ] 2. Search\n- [ ] 4. Rank\n").unwrap();
    followed.at(11_000);
    assert_eq!(followed.at(11_051).0, 2, "other records are no cut");
}

#[test]
fn invalid_content_counts_after_a_second() {
    let mut followed = Followed::new(THREE);
    fs::write(followed.path(), b"- [ ] 1. \xff\n").unwrap();
    let is_reported = |followed: &Followed| {
        followed.files.formats()[0].files().any(|(_, file)| file.error.is_some())
    };
    for (time, expected) in [(3_000, false), (3_060, false), (3_990, false), (4_001, true)] {
        assert_eq!(followed.at(time).0, 3);
        assert_eq!(is_reported(&followed), expected, "{time}");
    }
}

/// A step of a save.
enum Step<'a> {
    /// The file gets another name.
    Rename(&'static str),
    /// It is opened, created if it is missing, and emptied.
    Truncate,
    /// A part of the text is written.
    Write(&'a [u8]),
    /// A file of another name, with the whole text, takes its name.
    Replace,
    /// The file with the other name is deleted.
    Unlink(&'static str),
}

/// The calls are those that `strace` shows of vim 9.0 with its three values of `backupcopy`, and of node 20's `fs.writeFile`,
/// which VS Code and the edit tools of agents use; each is followed by a pause in which a settled file would be read.
#[test]
fn a_save_as_editors_do_it_is_served_once_it_has_settled() {
    use Step::{Rename, Replace, Truncate, Unlink, Write as Part};

    let text = |save: usize| {
        let mark = |at: usize| if at <= save { 'x' } else { ' ' };
        let lines = (1..700).map(|at| format!("- [{}] {at}. Task number {at}\n", mark(at)));
        lines.chain([format!("- [ ] 700. Save {save}\n")]).collect::<String>()
    };
    let texts: Vec<String> = (0..5).map(text).collect();
    let pieces = |save: usize| texts[save].as_bytes().chunks(8192).map(Part);
    assert!(pieces(1).count() > 2);
    let saves: [Vec<Step<'_>>; 4] = [
        [Rename("tasks.md~"), Truncate]
            .into_iter()
            .chain(pieces(1))
            .chain([Unlink("tasks.md~")])
            .collect(),
        [Truncate].into_iter().chain(pieces(2)).collect(),
        vec![Truncate, Part(texts[3].as_bytes())],
        vec![Replace],
    ];
    let mut followed = Followed::new(&texts[0]);
    let path = followed.path();
    let served = |save: usize| (700, format!("\"Save {save}\""));
    let mut time = 2_000;
    for (at, steps) in saves.iter().enumerate() {
        for step in steps {
            let is_whole = fs::read(&path).is_ok_and(|text| text == texts[at + 1].as_bytes());
            let expected = served(at + usize::from(is_whole));
            assert_eq!(followed.at(time), expected, "save {} at {time} ms", at + 1);
            match step {
                Rename(name) => fs::rename(&path, path.with_file_name(name)).unwrap(),
                Truncate => drop(File::create(&path).unwrap()),
                Part(text) => {
                    let mut file = File::options().append(true).open(&path).unwrap();
                    file.write_all(text).unwrap();
                }
                Replace => {
                    let other = path.with_extension("tmp");
                    fs::write(&other, &texts[at + 1]).unwrap();
                    fs::rename(other, &path).unwrap();
                }
                Unlink(name) => fs::remove_file(path.with_file_name(name)).unwrap(),
            }
            followed.at(time + 1);
            time += 60;
        }
        assert_eq!(followed.at(time), served(at + 1), "after save {}", at + 1);
        time += 2_000;
    }
}
