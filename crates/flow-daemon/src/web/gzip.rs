//! Compresses large answers for clients that accept it: in the format gzip.

use bytes::Bytes;
use http::HeaderMap;
use http::header::ACCEPT_ENCODING;
use miniz_oxide::deflate::compress_to_vec;

/// Bodies up to this size, in bytes, are sent as they are: they fit into a few packets.
pub const LEAST: usize = 16 * 1024;
/// Bodies above this size, in bytes, too: a compressed one is held in memory beside the body.
pub const MOST: usize = 64 << 20;
/// The level of compression: half as many bytes as at 1, in a few milliseconds for each MiB.
const LEVEL: u8 = 6;
/// That of bodies above [`LARGE`] bytes, since answers change with each write of a file: the fastest.
const QUICK: u8 = 1;
const LARGE: usize = 8 << 20;
/// How the validator of a compressed answer ends.
pub(super) const TAG_END: &[u8] = b"-gzip\"";
/// Magic number, deflate, no flags, no time, no hint, unknown system.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Whether a client accepts gzip, by its name and with a weight other than 0.
pub(super) fn is_accepted(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|one| {
        let (name, parameters) = one.split_once(';').unwrap_or((one, ""));
        let weight = parameters.trim().strip_prefix("q=").unwrap_or("1").trim();
        name.trim().eq_ignore_ascii_case("gzip")
            && weight.parse::<f32>().is_ok_and(|weight| weight > 0.0)
    })
}

/// Whether a body of this size is compressed.
pub(super) fn is_worthwhile(bytes: usize) -> bool {
    bytes > LEAST && bytes <= MOST
}

/// The validator of the compressed answer.
pub(super) fn tag(plain: &[u8]) -> Bytes {
    [plain.strip_suffix(b"\"").unwrap_or(plain), TAG_END].concat().into()
}

/// The body in the format gzip (RFC 1952).
pub(super) fn compressed(body: &[u8]) -> Bytes {
    let mut out = HEAD.to_vec();
    let level = if body.len() > LARGE { QUICK } else { LEVEL };
    out.extend(compress_to_vec(body, level));
    out.extend(checksum(body).to_le_bytes());
    // The size modulo 2^32; bodies are smaller.
    out.extend(u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.into()
}

/// The checksum of each byte.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let (mut byte, mut first) = (0, 0_u32);
    while byte < table.len() {
        let mut value = first;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
            bit += 1;
        }
        table[byte] = value;
        (byte, first) = (byte + 1, first + 1);
    }
    table
};

/// CRC-32 as gzip has it.
fn checksum(body: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| sum >> 8 ^ TABLE[usize::from(sum.to_le_bytes()[0] ^ byte)];
    !body.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(b""), 0);
    }

    #[test]
    fn gzip_is_accepted_by_name_and_weight() {
        let is = |lines: &[&str]| {
            let lines = lines.iter().map(|line| (ACCEPT_ENCODING, line.parse().unwrap()));
            is_accepted(&lines.collect())
        };
        for lines in [&["gzip"][..], &["br, GZIP;q=0.5"], &["br", "gzip"], &["gzip; q=1.0, *;q=0"]]
        {
            assert!(is(lines), "{lines:?}");
        }
        for lines in [
            &[][..],
            &[""],
            &["br"],
            &["*"],
            &["gzip;q=0"],
            &["gzip; q=0.000"],
            &["gzipped"],
            &["gzip;q=x"],
        ] {
            assert!(!is(lines), "{lines:?}");
        }
    }
}
