//! The type declarations that prompt files are checked against, compressed in the binary.
//!
//! `runtime-js/declarations.mjs` collects them at build time. They appear as files under [`ROOT`]:
//!
//! | path | content |
//! | --- | --- |
//! | `lmthing.d.ts` | the modules of lmthing, with their comments |
//! | `globals.d.ts` | the globals of a program that needs no declarations of Node |
//! | `additions.d.ts` | globals that Node's declarations lack or declare differently |
//! | `node_modules/zod/` | what `zod` (`index.d.ts`), `zod/v4` (`v4/index.d.ts`) and `zod/v4/locales` reach |
//! | `node_modules/@types/node/` | Node's globals and the modules that lmthing offers (`index.d.ts`) |
//! | `node_modules/undici-types/` | what these need for `fetch` |
//!
//! Either `globals.d.ts` or Node's declarations are loaded, never both; the other own files always.

use std::collections::HashMap;
use std::io::Read;
use std::sync::{LazyLock, OnceLock};

use flate2::read::DeflateDecoder;

static ARCHIVE: OnceLock<&'static [u8]> = OnceLock::new();

/// Sets the archive of declarations, once, before anything is checked.
pub fn set_declarations(archive: &'static [u8]) {
    let _ = ARCHIVE.set(archive);
}

#[cfg(not(test))]
fn archive() -> &'static [u8] {
    ARCHIVE.get().copied().unwrap_or_default()
}

#[cfg(test)]
fn archive() -> &'static [u8] {
    ARCHIVE.get_or_init(|| lmthing_runtime::DECLARATIONS)
}

pub const ROOT: &str = "/lmthing-types";

static TABLE: LazyLock<Table> = LazyLock::new(Table::read);

pub fn files() -> impl Iterator<Item = &'static str> {
    TABLE.files.keys().copied()
}

/// The text of a file by its absolute path. The first read of a group (own files, zod, Node) decompresses the whole
/// group.
pub fn read(path: &str) -> Option<&'static str> {
    let range = TABLE.files.get(path)?;
    let group = TABLE.groups.get(range.group)?;
    group.text().get(range.start..range.end)
}

struct Table {
    groups: Vec<Group>,
    files: HashMap<&'static str, FileRange>,
}

struct Group {
    compressed: &'static [u8],
    text: OnceLock<String>,
}

struct FileRange {
    group: usize,
    start: usize,
    end: usize,
}

impl Table {
    /// The archive begins with the length of its table. A line of it is `= GROUP LENGTH`, or the path and length of a file.
    fn read() -> Self {
        let (length, rest) = archive().split_first_chunk::<4>().unwrap_or((&[0; 4], &[]));
        let (lines, mut left) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).unwrap_or_default();
        let mut table = Self { groups: Vec::new(), files: HashMap::new() };
        let mut start = 0;
        for line in std::str::from_utf8(lines).unwrap_or_default().lines() {
            let Some((name, length)) = line.rsplit_once(' ') else { continue };
            let length = length.parse().unwrap_or_default();
            if name.starts_with("= ") {
                let (compressed, others) = left.split_at_checked(length).unwrap_or_default();
                left = others;
                start = 0;
                table.groups.push(Group { compressed, text: OnceLock::new() });
            } else {
                let range = FileRange { group: table.groups.len().saturating_sub(1), start, end: start + length };
                start = range.end;
                table.files.insert(name, range);
            }
        }
        table
    }
}

impl Group {
    fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let mut text = String::new();
            // The build wrote the group; one that cannot be read counts as empty.
            let _ = DeflateDecoder::new(self.compressed).read_to_string(&mut text);
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read() {
        assert!(files().count() > 80);
        for path in files() {
            let text = read(path).unwrap_or_else(|| panic!("{path} cannot be read"));
            assert!(path.starts_with(ROOT) && text.ends_with('\n'), "{path} is cut");
        }
        assert_eq!(read("/lmthing-types/none.d.ts"), None);
    }

    #[test]
    fn referenced_declarations_exist() {
        let exists = |path: String| read(&path).is_some();
        for name in ["zod/index.d.ts", "zod/v4/index.d.ts", "zod/v4/locales/index.d.ts", "@types/node/index.d.ts"] {
            assert!(exists(format!("{ROOT}/node_modules/{name}")), "{name}");
        }
        let zod = format!("{ROOT}/node_modules/zod/v4/");
        for line in read(&format!("{zod}classic/external.d.ts")).unwrap_or_default().lines() {
            let Some((_, name)) = line.rsplit_once("from \"..") else { continue };
            let name = name.trim_start_matches('/').trim_end_matches(".js\";");
            assert!(exists(format!("{zod}{name}.d.ts")), "{line}");
        }
        let node = format!("{ROOT}/node_modules/@types/node/");
        let index = read(&format!("{node}index.d.ts")).unwrap_or_default();
        let named: Vec<&str> = index.lines().filter_map(|line| line.strip_prefix("/// <reference path=\"")).collect();
        assert!(named.len() > 50);
        for name in named {
            assert!(exists(format!("{node}{}", name.trim_end_matches("\" />"))), "{name}");
        }
    }
}
