//! Fuzzes `flow_fuzz::host`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| flow_fuzz::host::check(data));
