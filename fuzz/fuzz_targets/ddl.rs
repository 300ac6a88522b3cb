//! Fuzzes `flow_fuzz::ddl`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| flow_fuzz::ddl::check(data));
