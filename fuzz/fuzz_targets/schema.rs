//! Fuzzes `flow_fuzz::schema`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| flow_fuzz::schema::check(data));
