//! Fuzzes `flow_fuzz::notation`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| flow_fuzz::notation::check(data));
