//! A line on the control socket: it is a request that can be serialised and parsed again, or it is refused in one line.

use flow_daemon::control::Request;

/// Checks one input.
pub fn check(data: &[u8]) {
    match Request::read(data) {
        Ok(request) => {
            let again = serde_json::to_vec(&request).expect("a request cannot be written");
            assert_eq!(Request::read(&again).ok(), Some(request));
        }
        Err(refusal) => {
            let line = refusal.to_line();
            assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
            let told: serde_json::Value = serde_json::from_slice(&line).expect("no JSON");
            assert_eq!(told["ok"], false, "{told}");
            assert!(
                ["bad_request", "invalid_path"].contains(&told["code"].as_str().expect("no code"))
            );
        }
    }
}
