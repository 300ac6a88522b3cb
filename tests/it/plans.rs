//! Plans of other tools while a server runs: never served by half, and a thousand files followed at the cost of one.
//! `tests/cases/formats` shows what is read of their files, how it is followed, and what a setting adds.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::time::{Duration, Instant};

use flow::store::plan_files::CUT;
use serde_json::Value;

use crate::support::{Project, Server, wait_until};

fn state_of(server: Server, id: &str) -> Value {
    let id = id.replace('/', "%2F");
    server.get(&format!("/api/tasks/{id}")).json()["state"].take()
}

#[test]
fn half_of_a_file_is_never_served() {
    let boxes = |done: usize| {
        (1..=400).fold(String::new(), |text, n| {
            let mark = if n <= done { 'x' } else { ' ' };
            format!("{text}- [{mark}] T{n:03} Write part {n} of it\n")
        })
    };
    let project = Project::new();
    project.write("specs/001-login/spec.md", "# Feature Specification: Login\n");
    project.write("specs/001-login/tasks.md", &boxes(0));
    let path = project.root.join("specs/001-login/tasks.md");
    let server = project.start();
    let counts = || {
        let story = server.get("/api/stories/001-login").json();
        (story["tasks_total"].clone(), story["tasks_completed"].clone())
    };
    for done in 1..=8 {
        let text = boxes(done);
        let mut file = if done % 2 == 0 {
            OpenOptions::new().write(true).truncate(true).open(&path).unwrap()
        } else {
            // As an editor that keeps a copy: the file is moved away and created again.
            fs::rename(&path, path.with_extension("md~")).unwrap();
            fs::File::create(&path).unwrap()
        };
        let (mut written, mut longest_pause, mut parts) = (Instant::now(), Duration::ZERO, 0);
        for piece in text.as_bytes().chunks(2048) {
            file.write_all(piece).unwrap();
            longest_pause = longest_pause.max(written.elapsed());
            written = Instant::now();
            parts += usize::from(counts().0 != 400);
        }
        drop(file);
        longest_pause = longest_pause.max(written.elapsed());
        wait_until("the whole file", || counts() == (400.into(), done.into()));
        // On a busy machine the writer may pause for longer than the store waits.
        assert!(parts == 0 || longest_pause >= CUT, "a part of the file is served");
    }
    project.flow(&["api", "stop"]).expect(0);
}

#[test]
fn a_thousand_files_are_followed_at_the_cost_of_one() {
    let project = Project::new();
    for n in 0..500 {
        project.write(&format!("specs/{n:03}-part/spec.md"), &format!("# Part {n}\n"));
        project.write(
            &format!("specs/{n:03}-part/tasks.md"),
            "- [ ] T001 One\n- [ ] T002 Two\n- [x] T003 Three\n",
        );
    }
    let begun = Instant::now();
    let server = project.start();
    crate::tools::figure("plan_start_1000_files_ms", begun.elapsed().as_secs_f64() * 1000.0);
    let mut longest = Duration::ZERO;
    for n in 0..20 {
        let begun = Instant::now();
        project.write(
            &format!("specs/{n:03}-part/tasks.md"),
            "- [x] T001 One\n- [ ] T002 Two\n- [x] T003 Three\n",
        );
        wait_until("the box is ticked", || {
            state_of(server, &format!("{n:03}-part/T001")) == "completed"
        });
        longest = longest.max(begun.elapsed());
    }
    crate::tools::figure("plan_change_of_1000_files_longest_ms", longest.as_secs_f64() * 1000.0);
    assert_eq!(server.get("/api/tasks?limit=0").json()["stats"]["by_state"]["completed"], 520);
    project.flow(&["api", "stop"]).expect(0);
}
