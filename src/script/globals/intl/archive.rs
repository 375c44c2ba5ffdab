//! The locale data that `runtime-js/locales` cuts out of CLDR at build time: JSON, in groups that are compressed as a whole.

use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;
use std::sync::OnceLock;

use brotli::Decompressor;

static ARCHIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/locales.bin"));

/// Where each section lies; read when the first one is asked for.
static TABLE: OnceLock<Table> = OnceLock::new();

/// How much of a group is decompressed at a time.
const BUFFER: usize = 16 << 10;

#[derive(Default)]
struct Table {
    groups: Vec<Group>,
    /// By the names of sections: the number of the group, and the bytes of its text.
    sections: HashMap<&'static str, (usize, Range<usize>)>,
}

struct Group {
    compressed: &'static [u8],
    /// Kept for all engines of the process: who writes one number writes more.
    text: OnceLock<String>,
}

impl Group {
    fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let mut text = String::new();
            // The build wrote it; a group that cannot be read is as good as none.
            match Decompressor::new(self.compressed, BUFFER).read_to_string(&mut text) {
                Ok(_) => text,
                Err(_) => String::new(),
            }
        })
    }
}

/// The text of the section `key`, if there is one.
pub(super) fn read(key: String) -> Option<String> {
    let table = TABLE.get_or_init(|| table(ARCHIVE).unwrap_or_default());
    let (group, range) = table.sections.get(key.as_str())?;
    table.groups.get(*group)?.text().get(range.clone()).map(str::to_owned)
}

/// The archive begins with the length of its table. A line of that begins a group, with its length in the archive, or is a
/// name and the length of the section in the group.
fn table(archive: &'static [u8]) -> Option<Table> {
    let (length, rest) = archive.split_first_chunk::<4>()?;
    let (lines, mut groups) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let mut table = Table::default();
    let mut end = 0;
    for line in std::str::from_utf8(lines).ok()?.lines() {
        if let Some((name, length)) = line.split_once(' ') {
            let start = end;
            end += length.parse::<usize>().ok()?;
            table.sections.insert(name, (table.groups.len().checked_sub(1)?, start..end));
        } else {
            let (compressed, others) = groups.split_at_checked(line.parse().ok()?)?;
            table.groups.push(Group { compressed, text: OnceLock::new() });
            (groups, end) = (others, 0);
        }
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_json() {
        let table = table(ARCHIVE).unwrap();
        assert!(table.sections.len() > 500);
        for name in table.sections.keys() {
            let text = read((*name).to_owned()).unwrap();
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{name}");
        }
        assert_eq!(read("xx/numbers".to_owned()), None);
    }
}
