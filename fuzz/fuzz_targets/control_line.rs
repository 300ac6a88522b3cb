//! Fuzzes `flow_fuzz::control_line`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| flow_fuzz::control_line::check(data));
