//! Starts of the real binary after kills, and the service manager. `tests/cases/lifecycle` shows a taken port, many starts at
//! once and restarts; `tests/cases/api` shows starts and stops that nothing disturbs.

use std::os::unix::net::UnixDatagram;
use std::time::Instant;

use nix::sys::signal::Signal;

use crate::support::{GENEROUS, Project, WHILE_RUNNING, is_alive, is_portable, send, wait_until};
use crate::tools::{figure, milliseconds, percentile, scaled};

#[test]
fn killed_and_started_again_and_again() {
    let project = Project::new();
    let mut times = Vec::new();
    for _ in 0..scaled(20, 100) {
        let begun = Instant::now();
        let server = project.start();
        assert_eq!(server.get("/api").status, 200);
        times.push(begun.elapsed());
        send(server.pid, Signal::SIGKILL);
        wait_until("the process is gone", || !is_alive(server.pid));
    }
    figure("kills", times.len());
    figure("longest_start_after_a_kill_ms", milliseconds(percentile(&mut times, 100)));
}

/// Only Linux has a short name for a socket. The runtime files are elsewhere without one, and are found there.
#[test]
fn a_path_too_long_for_a_socket_is_served_and_started_again_after_a_kill() {
    let project = Project::named("x".repeat(150));
    let mut server = project.start();
    for _ in 0..2 {
        assert_eq!(server.get("/api").status, 200);
        assert_eq!(project.status().expect(0).json()["pid"], server.pid);
        let there = if is_portable() { vec!["api-server.pid"] } else { WHILE_RUNNING.into() };
        assert_eq!(project.files("api-server"), there);
        send(server.pid, Signal::SIGKILL);
        wait_until("the process is gone", || !is_alive(server.pid));
        project.status().expect(3);
        server = project.start();
    }
    let said = project.flow(&["api", "start", "PORT=0"]).expect(0);
    assert!(said.out.contains("already"), "{said:?}");
    project.flow(&["api", "stop"]).expect(0);
    assert!(!is_alive(server.pid));
}

#[test]
fn the_service_manager_is_told() {
    let project = Project::new();
    let plain = project.root.join("notify");
    let listener = UnixDatagram::bind(&plain).unwrap();
    notified(&project, &listener, plain.to_str().unwrap());
}

#[test]
#[cfg(target_os = "linux")]
fn the_service_manager_is_told_on_an_abstract_socket() {
    use std::os::linux::net::SocketAddrExt;
    let name = format!("flow-test-{}", std::process::id());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let listener = UnixDatagram::bind_addr(&address).unwrap();
    notified(&Project::new(), &listener, &format!("@{name}"));
}

fn notified(project: &Project, listener: &UnixDatagram, name: &str) {
    listener.set_read_timeout(Some(GENEROUS)).unwrap();
    let mut child = project.foreground(|command| {
        command.env("NOTIFY_SOCKET", name);
    });
    let mut heard = [0; 64];
    let mut next = || {
        let count = listener.recv(&mut heard).unwrap();
        String::from_utf8(heard[..count].to_vec()).unwrap()
    };
    assert_eq!(next(), "READY=1");
    project.flow(&["api", "stop"]).expect(0);
    assert_eq!(next(), "STOPPING=1");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
