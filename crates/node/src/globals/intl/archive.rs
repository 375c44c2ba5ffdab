//! Locale data that `runtime-js/locales` extracts from CLDR at build time: JSON in compressed groups.

use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;
use std::sync::OnceLock;

use brotli::Decompressor;

use lmthing_data::LOCALES as ARCHIVE;

static TABLE: OnceLock<Table> = OnceLock::new();

/// Bytes decompressed at a time.
const BUFFER: usize = 16 << 10;

#[derive(Default)]
struct Table {
    groups: Vec<Group>,
    /// By section name: index of the group, and byte range in its text.
    sections: HashMap<&'static str, (usize, Range<usize>)>,
}

struct Group {
    compressed: &'static [u8],
    /// Cached for the process: a script that formats one number formats more.
    text: OnceLock<String>,
}

impl Group {
    fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let mut text = String::new();
            // Cannot fail, as the build wrote it.
            match Decompressor::new(self.compressed, BUFFER).read_to_string(&mut text) {
                Ok(_) => text,
                Err(_) => String::new(),
            }
        })
    }
}

/// The text of the section `key`.
pub(super) fn read(key: String) -> Option<String> {
    let table = TABLE.get_or_init(|| table(ARCHIVE).unwrap_or_default());
    let (group, range) = table.sections.get(key.as_str())?;
    table.groups.get(*group)?.text().get(range.clone()).map(str::to_owned)
}

/// The archive begins with the length of its table. A line of the table is either the length of the next compressed
/// group, or the name and length of a section in the current group.
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
