//! Fuzzes `flow_fuzz::query`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| flow_fuzz::query::check(data));
