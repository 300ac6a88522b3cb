//! Fuzzes `flow_fuzz::status_json`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| flow_fuzz::status_json::check(data));
