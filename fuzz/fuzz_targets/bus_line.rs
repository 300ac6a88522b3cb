//! Fuzzes `flow_fuzz::bus_line`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| flow_fuzz::bus_line::check(data));
