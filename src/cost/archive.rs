//! The price table that `runtime-js/prices.mjs` takes from `genai-prices` at build time: a section of compressed JSON for each
//! provider, and an index.

use std::io::Read;

use flate2::read::DeflateDecoder;

static ARCHIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/prices.bin"));

/// The text of the section `name`, if there is one.
pub(super) fn read(name: &str) -> Option<String> {
    let compressed = sections().find(|(section, _)| *section == name)?.1;
    let mut text = String::new();
    // The build wrote it; a section that cannot be read is as good as none.
    DeflateDecoder::new(compressed).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The providers, in the order of the table.
pub(super) fn providers() -> impl Iterator<Item = &'static str> {
    sections().map(|(name, _)| name).filter(|name| *name != "index")
}

/// The archive begins with the length of its table, whose lines are a name and the length of the section.
fn sections() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    let (length, rest) = ARCHIVE.split_first_chunk::<4>().unwrap_or((&[0; 4], &[]));
    let (lines, mut left) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).unwrap_or_default();
    std::str::from_utf8(lines).unwrap_or_default().lines().map_while(move |line| {
        let (name, length) = line.split_once(' ')?;
        let (section, others) = left.split_at_checked(length.parse().ok()?)?;
        left = others;
        Some((name, section))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_json() {
        assert!(providers().count() > 40);
        for name in providers().chain(["index"]) {
            let text = read(name).unwrap();
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{name}");
        }
        assert_eq!(read("nobody"), None);
    }
}
