//! A system without free watches, mounts whose source is written, and a `.flow` that is not
//! writable, in separate namespaces.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use crate::live;
use crate::namespace::Namespace;
use crate::support::{LOG, Project, STATUS, Server, TASKS, is_alive, wait_until};
use crate::tools::{figure, milliseconds, not_here, percentile};

fn total(server: Server) -> Value {
    server.get("/api/bus/messages?limit=0").json()["total"].clone()
}

#[test]
fn without_watches_the_files_are_looked_at() {
    for (limit, most) in
        [("max_inotify_instances", 0), ("max_inotify_watches", 0), ("max_inotify_watches", 2)]
    {
        let project = Project::new();
        project.write(LOG, "{\"n\":0}\n");
        let Some(mut inside) = Namespace::open(&project) else { return };
        // This limit belongs to the namespace of the writer; those under fs/inotify apply to the whole system.
        if !inside.may(&format!("echo {most} > /proc/sys/user/{limit}")) {
            return;
        }
        let server = inside.start();
        let health = server.get("/api/health").json();
        assert_eq!(
            (&health["watcher"], &health["status"]),
            (&"poll".into(), &"ok".into()),
            "{limit}"
        );
        live::append(&project.root.join(LOG), "{\"n\":1}\n");
        wait_until("the line is served", || total(server) == 2);
        project.write(STATUS, "{\"stories\":{\"US-1\":{}}}");
        wait_until("the new file is served", || server.get("/api/stories").json()["count"] == 1);
        fs::rename(project.root.join("docs"), project.root.join("moved")).unwrap();
        wait_until("nothing is served", || total(server) == 0);
        fs::rename(project.root.join("moved"), project.root.join("docs")).unwrap();
        wait_until("all is served again", || total(server) == 2);
        assert_eq!(server.get("/api/health").json()["watcher"], "poll");
    }
}

#[test]
fn with_watches_they_are_used() {
    let project = Project::new();
    let Some(mut inside) = Namespace::open(&project) else { return };
    let server = inside.start();
    assert_eq!(server.get("/api/health").json()["watcher"], "native");
}

/// Changes below a mount at `docs`, whose files are in `below`.
fn is_followed(project: &Project, server: Server, below: &Path) {
    let (log, status) =
        (below.join("09-agents/bus/log.jsonl"), below.join("09-agents/status.json"));
    let mut times = Vec::new();
    for n in 1..=10 {
        live::append(&log, format!("{{\"n\":{n}}}\n"));
        let written = Instant::now();
        wait_until("the line is served", || total(server) == n + 1);
        times.push(written.elapsed());
        fs::write(&status, format!("{{\"stories\":{{\"US-{n}\":{{}}}}}}")).unwrap();
        wait_until("the new content is served", || {
            server.get(&format!("/api/stories/US-{n}")).status == 200
        });
    }
    assert_eq!(server.get("/api/health").json()["status"], "ok");
    assert!(!project.root.join(LOG).exists(), "the mount is seen outside of its namespace");
    figure("mount_change_longest_ms", milliseconds(percentile(&mut times, 100)));
}

fn lower(project: &Project, name: &str) -> std::path::PathBuf {
    let folder = project.root.join("..").canonicalize().unwrap().join(name);
    fs::create_dir_all(folder.join("09-agents/bus")).unwrap();
    fs::write(folder.join("09-agents/bus/log.jsonl"), "{\"n\":0}\n").unwrap();
    fs::write(folder.join("09-agents/status.json"), "{}").unwrap();
    folder
}

#[test]
fn a_bind_mount_written_underneath_is_followed() {
    let project = Project::new();
    let below = lower(&project, "bound");
    let Some(mut inside) = Namespace::open(&project) else { return };
    if inside.may("mount --bind ../bound docs") {
        let server = inside.start();
        is_followed(&project, server, &below);
    }
}

#[test]
fn an_overlay_written_underneath_is_followed() {
    for layer in ["lower", "upper"] {
        let project = Project::new();
        let below = lower(&project, layer);
        for name in ["lower", "upper", "work"] {
            fs::create_dir_all(below.with_file_name(name)).unwrap();
        }
        let Some(mut inside) = Namespace::open(&project) else { return };
        if inside.may(
            "mount -t overlay overlay -o lowerdir=../lower,upperdir=../upper,workdir=../work docs",
        ) {
            let server = inside.start();
            is_followed(&project, server, &below);
        }
    }
}

/// Asserts that a start reports why it failed, with the proper exit code, and leaves no process.
fn start_fails(inside: &mut Namespace, why: &str) {
    let (code, text) = inside.run("\"$FLOW\" api start PORT=0");
    assert_eq!(code, 1, "{text}");
    assert!(
        text.starts_with("error: could not") && text.contains(why) && text.contains(".flow"),
        "{text}"
    );
    assert_eq!(inside.run("\"$FLOW\" api status").0, 3);
}

#[test]
fn on_a_full_disk_serving_goes_on_and_a_start_says_why_not() {
    let project = Project::new();
    project.write(STATUS, "{\"stories\":{\"US-1\":{}}}");
    fs::create_dir(project.root.join(".flow")).unwrap();
    let Some(mut inside) = Namespace::open(&project) else { return };
    if !inside.may("mount -t tmpfs -o size=64k,mode=700 tmpfs .flow") {
        return;
    }
    let server = inside.start();
    inside.must("cat /dev/zero > .flow/filler 2>/dev/null; ! echo more > .flow/more");
    goes_on(&project, server);
    inside.must("\"$FLOW\" api status");
    inside.must("\"$FLOW\" api stop");
    // Its lock is free a little before the process has ended.
    wait_until("the process is gone", || !is_alive(server.pid));
    assert!(!inside.must("ls -A .flow").contains("api-server.sock"));
    inside.must("cat /dev/zero >> .flow/filler 2>/dev/null; ! echo more > .flow/more");
    start_fails(&mut inside, "No space left");
    let left = inside.must("ls -A .flow");
    let ours = left.lines().filter(|name| name.starts_with("api-server"));
    assert_eq!(ours.collect::<Vec<_>>(), ["api-server.log"]);
}

#[test]
fn on_a_read_only_disk_a_start_says_why_not() {
    let project = Project::new();
    fs::create_dir(project.root.join(".flow")).unwrap();
    let Some(mut inside) = Namespace::open(&project) else { return };
    if inside.may("mount -t tmpfs -o mode=700,ro tmpfs .flow") {
        start_fails(&mut inside, "Read-only");
    }
}

/// The system does not make a mount read-only while files are open for writing, as a daemon's lock and log are. Another
/// mount of the same folder over it can be: a process that opens a path then finds a read-only disk.
#[test]
fn when_the_mount_turns_read_only_serving_goes_on_and_stop_works() {
    let project = Project::new();
    project.write(STATUS, "{\"stories\":{\"US-1\":{}}}");
    let Some(mut inside) = Namespace::open(&project) else { return };
    let server = inside.start();
    if !inside.may("mount --bind . . && cd \"$PWD\" && mount -o remount,bind,ro .") {
        return;
    }
    inside.must("! touch .flow/more");
    goes_on(&project, server);
    inside.must("\"$FLOW\" api status");
    inside.must("\"$FLOW\" api stop");
    // Its lock is free a little before the process has ended.
    wait_until("the process is gone", || !is_alive(server.pid));
    start_fails(&mut inside, "Read-only");
    inside.must("mount -o remount,bind,rw .");
    let again = inside.start();
    project.write(STATUS, "{\"stories\":{\"US-9\":{}}}");
    wait_until("the change is served", || again.get("/api/stories/US-9").status == 200);
    inside.must("\"$FLOW\" api stop");
    assert_eq!(project.files("api-server"), ["api-server.log"]);
}

/// The behaviour of a disk with an error: its file system becomes read-only at once, for all writers. Only a real one
/// does that, so this needs the real root and a loop device, which is removed with the namespace.
#[test]
fn when_the_disk_fails_and_turns_read_only_serving_goes_on_and_stop_works() {
    let project = Project::new();
    let Some(mut inside) = Namespace::as_root(&project) else { return };
    let mount = "mount -o loop,errors=remount-ro ../disk \"$PWD\" && cd \"$PWD\"";
    let made = inside.run(&format!(
        "truncate -s 8M ../disk && mkfs.ext4 -q -F -O ^has_journal ../disk && {mount}"
    ));
    if made.0 != 0 {
        return not_here(&format!("there is no ext4 on a loop device: {}", made.1.trim()));
    }
    inside.must(&format!("chmod 700 . && mkdir -p docs/09-agents && echo '{{}}' > {STATUS}"));
    let server = inside.start();
    let mut log = String::new();
    wait_until("it has written that it is ready", || {
        log = inside.must("cat .flow/api-server.log");
        log.contains("ready")
    });
    inside.must(
        "disk=$(sed -n \"s|^/dev/\\(loop[0-9]*\\) $PWD .*|\\1|p\" /proc/mounts) && \
         echo 'a test' > \"/sys/fs/ext4/$disk/trigger_fs_error\" && ! touch .flow/more",
    );
    assert_eq!(server.get("/api/health").json()["status"], "ok");
    assert_eq!(server.get("/api/status").body, b"{}\n");
    inside.must("\"$FLOW\" api status");
    inside.must("\"$FLOW\" api stop");
    // Its lock is free a little before the process has ended.
    wait_until("the process is gone", || !is_alive(server.pid));
    // It could not write to its log, which delayed nothing.
    assert_eq!(inside.must("cat .flow/api-server.log"), log);
    start_fails(&mut inside, "Read-only");
    inside.must("here=$PWD && cd /");
    // The threads of a process end one by one, and the last one closes its files.
    wait_until("nothing is open on it", || inside.run("umount \"$here\"").0 == 0);
    inside.must(&format!("cd \"$here\" && {mount}"));
    let again = inside.start();
    inside.must(&format!("echo '{{\"stories\":{{\"US-1\":{{}}}}}}' > {STATUS}"));
    wait_until("the change is served", || again.get("/api/stories/US-1").status == 200);
    inside.must("\"$FLOW\" api stop");
    let left = inside.must("ls -A .flow");
    let ours = left.lines().filter(|name| name.starts_with("api-server"));
    assert_eq!(ours.collect::<Vec<_>>(), ["api-server.log"]);
}

fn goes_on(project: &Project, server: Server) {
    for n in 2..6 {
        project.write(STATUS, &format!("{{\"stories\":{{\"US-{n}\":{{}}}}}}"));
        wait_until("the change is served", || {
            server.get(&format!("/api/stories/US-{n}")).status == 200
        });
    }
    // An event that causes a line in the log, for which there is no space.
    symlink("/etc/passwd", project.root.join("docs/09-agents/link")).unwrap();
    assert_eq!(server.get("/api/health").json()["status"], "ok");
}

#[test]
fn a_full_and_a_read_only_disk_cost_the_history_and_nothing_else() {
    let project = Project::new();
    let tasks = |state: &str| format!(r#"{{"tasks": [{{"id": "t1", "state": "{state}"}}]}}"#);
    let put = |state: &str| {
        project.write("new", &tasks(state));
        fs::rename(project.root.join("new"), project.root.join(TASKS)).unwrap();
    };
    project.write(TASKS, &tasks("queued"));
    let Some(mut inside) = Namespace::open(&project) else { return };
    if !inside.may("mkdir $XDG_STATE_HOME && mount -t tmpfs -o size=128k none $XDG_STATE_HOME") {
        return;
    }
    let server = inside.start();
    let state = |server: Server| server.get("/api/health").json()["history"]["state"].clone();
    let told = |server: Server| -> Vec<String> {
        let answer = server.get("/api/activity").json();
        let to = |row: &Value| row["to"].as_str().unwrap().to_owned();
        answer["activity"].as_array().unwrap().iter().rev().map(to).collect()
    };
    put("running");
    wait_until("it is told", || told(server) == ["running"]);
    let is_written = "ls $XDG_STATE_HOME/flow/history/*/plan";
    wait_until("it is kept", || inside.run(is_written).0 == 0);

    inside.run("cat /dev/zero > $XDG_STATE_HOME/fill");
    put("blocked");
    wait_until("health says so", || state(server) == "failed");
    put("running");
    wait_until("it is told", || told(server) == ["running", "blocked", "running"]);
    assert_eq!(server.get("/api/tasks/t1").json()["state"], "running");
    inside.run("rm $XDG_STATE_HOME/fill");
    wait_until("it is kept again", || state(server) == "kept");

    assert_eq!(inside.run("$FLOW api stop").0, 0);

    assert!(inside.may("mount -o remount,ro $XDG_STATE_HOME"));
    let server = inside.start();
    assert_eq!(state(server), "failed");
    put("completed");
    let all = ["running", "blocked", "running", "completed"];
    wait_until("it is told beside what is kept", || told(server) == all);
    assert_eq!(inside.run("$FLOW api stop").0, 0);
    assert!(inside.may("mount -o remount,rw $XDG_STATE_HOME"));
    let server = inside.start();
    assert_eq!(told(server), all);
}
