//! The locale data that `runtime-js/locales` cuts out of CLDR at build time: a table of names, then compressed JSON.

use std::collections::HashMap;
use std::io::Read;
use std::sync::OnceLock;

use flate2::read::DeflateDecoder;

static ARCHIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/locales.bin"));

/// Where each section lies, by its name; read when the first one is asked for.
static TABLE: OnceLock<HashMap<&'static str, &'static [u8]>> = OnceLock::new();

/// The text of the section `key`, if there is one.
pub(super) fn read(key: String) -> Option<String> {
    let compressed = TABLE.get_or_init(|| table(ARCHIVE).unwrap_or_default()).get(key.as_str())?;
    let mut text = String::new();
    // The build wrote it; a section that cannot be read is as good as none.
    DeflateDecoder::new(*compressed).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The archive begins with the length of its table, whose lines are a name and the length of the section.
fn table(archive: &'static [u8]) -> Option<HashMap<&'static str, &'static [u8]>> {
    let (length, rest) = archive.split_first_chunk::<4>()?;
    let (lines, mut sections) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let mut table = HashMap::new();
    for line in std::str::from_utf8(lines).ok()?.lines() {
        let (name, length) = line.split_once(' ')?;
        let (section, others) = sections.split_at_checked(length.parse().ok()?)?;
        table.insert(name, section);
        sections = others;
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_json() {
        let table = table(ARCHIVE).unwrap();
        assert!(table.len() > 500);
        for name in table.keys() {
            let text = read((*name).to_owned()).unwrap();
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{name}");
        }
        assert_eq!(read("xx/numbers".to_owned()), None);
    }
}
