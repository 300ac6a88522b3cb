//! Fuzzes `flow_fuzz::document`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| flow_fuzz::document::check(data));
