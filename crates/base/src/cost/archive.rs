//! Reads the price table that `runtime-js/prices.mjs` takes from `genai-prices` at build time: one section of compressed JSON
//! per provider, and an index.

use std::io::Read;

use flate2::read::DeflateDecoder;

use lmthing_data::PRICES as ARCHIVE;

pub(super) fn read(name: &str) -> Option<String> {
    let compressed = sections().find(|(section, _)| *section == name)?.1;
    let mut text = String::new();
    // The build wrote it; an unreadable section counts as missing.
    DeflateDecoder::new(compressed).read_to_string(&mut text).ok()?;
    Some(text)
}

pub(super) fn providers() -> impl Iterator<Item = &'static str> {
    sections().map(|(name, _)| name).filter(|name| *name != "index")
}

/// The archive starts with the length of its table of contents, whose lines are a section's name and length.
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
        assert_eq!(read("unknown"), None);
    }
}
