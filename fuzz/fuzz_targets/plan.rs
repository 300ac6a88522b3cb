//! Fuzzes `flow_fuzz::plan`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| flow_fuzz::plan::check(data));
