//! The permitted settings. `tests/cases/projects` shows the search for the project, the owner of its files, settings that are
//! not valid, and linked worktrees.

use std::path::PathBuf;

use flow::project::{Limits, Project as Opened, Surroundings};

use crate::live;
use crate::raw::Client;
use crate::shell::folder;
use crate::support::Project;

/// The file of the settings of the user who runs the commands of a project.
fn own_settings(project: &Project) -> PathBuf {
    project.runtime.with_file_name("config").join("flow/config.json")
}

#[test]
fn only_the_users_own_settings_raise_limits() {
    let (_keep, base) = folder();
    let user = base.join("user.json");
    let limits = |settings: Option<&str>, project: &str| {
        live::write(&base.join("p/.flow/config.json"), project);
        settings.inspect(|settings| live::write(&user, settings));
        let settings = settings.map(|_| user.as_path());
        let root = base.join("p");
        let at = Surroundings { named: Some(&root), from: &base, home: None, settings };
        Opened::open(&at).unwrap().limits()
    };
    let default = Limits::default();
    assert_eq!(default, Limits { json_bytes: 64 << 20, bus_bytes: 256 << 20, records: 2_000_000 });
    assert_eq!(limits(None, "\u{feff}{}"), default);
    assert_eq!(limits(None, r#"{"limits":{"records":5}}"#), Limits { records: 5, ..default });
    let large = r#"{"limits":{"json_bytes":134217728,"records":3000000}}"#;
    let raised = Limits { json_bytes: 128 << 20, records: 3_000_000, ..default };
    assert_eq!(limits(Some(large), "{}"), raised);
    let project = r#"{"limits":{"json_bytes":100000000,"bus_bytes":null}}"#;
    assert_eq!(limits(Some(large), project), Limits { json_bytes: 100_000_000, ..raised });
}

#[test]
fn settings_name_the_ports_whose_pages_may_read() {
    let project = Project::new();
    let cases: [(&str, &str, &[u16], &[u16]); 5] = [
        ("{}", "{}", &[1, 80, 443, 3000], &[]),
        (r#"{"read_from_ports":[3000,443]}"#, "{}", &[3000, 443], &[1, 80]),
        ("{}", r#"{"read_from_ports":[80]}"#, &[80], &[3000, 443]),
        // A project allows no port that its user does not allow.
        (r#"{"read_from_ports":[80,3000]}"#, r#"{"read_from_ports":[80]}"#, &[80], &[3000]),
        (r#"{"read_from_ports":[]}"#, "{}", &[], &[1, 80, 443, 3000]),
    ];
    for (settings, of_user, readers, others) in cases {
        project.write(".flow/config.json", settings);
        live::write(&own_settings(&project), of_user);
        let server = project.start();
        let ask = |port: u16| {
            let origin = match port {
                80 => "http://localhost".to_owned(),
                443 => "https://127.0.0.1".to_owned(),
                port => format!("http://[::1]:{port}"),
            };
            let head = format!("GET /api HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\n\r\n");
            Client::new(server.address()).send(head).reply()
        };
        for port in readers.iter().chain([&server.port]) {
            assert_eq!(ask(*port).is_ours().status, 200, "{settings} {of_user} {port}");
        }
        for port in others {
            let reply = ask(*port);
            let told = (reply.is_ours().status, reply.code());
            assert_eq!(told, (403, "origin_not_allowed".to_owned()), "{settings} {of_user} {port}");
            assert_eq!(reply.header("access-control-allow-origin"), None);
        }
        // Programs send no Origin.
        assert_eq!(server.get("/api").status, 200);
        project.flow(&["api", "stop"]).expect(0);
    }
}
