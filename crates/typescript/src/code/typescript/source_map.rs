//! Reads the source map of compiled code.

use serde_json::Value;
use tsr_jsstring::JsString;

use lmthing_base::parser::{Piece, Positions};

pub(super) fn positions_of_source_map(map: &[u8], source: &str, compiled: &str) -> serde_json::Result<Positions> {
    let map: Value = serde_json::from_slice(map)?;
    let mappings = map.get("mappings").and_then(Value::as_str).unwrap_or_default();
    let mut decoder = tsr_sourcemap::decode_mappings(JsString::from_bytes(mappings.as_bytes()));
    let (source, compiled) = (Lines::new(source), Lines::new(compiled));
    let pieces = decoder.values().filter(tsr_sourcemap::Mapping::is_source_mapping).filter_map(|mapping| {
        let at_compiled = compiled.position(mapping.generated_line, mapping.generated_character)?;
        let at_source = source.position(mapping.source_line, mapping.source_character)?;
        Some(Piece { compiled: at_compiled, source: at_source, same: 0 })
    });
    let mut pieces: Vec<Piece> = pieces.collect();
    pieces.sort_by_key(|piece| piece.compiled);
    let mut next = None;
    for piece in pieces.iter_mut().rev() {
        let in_line = next.filter(|(line, _)| *line == piece.compiled.0);
        let limit = in_line.map_or(u32::MAX, |(_, column)| column - piece.compiled.1);
        piece.same = common_length(compiled.rest(piece.compiled), source.rest(piece.source), limit);
        next = Some(piece.compiled);
    }
    Ok(Positions::new(pieces))
}

/// Each line with whether it is ASCII.
struct Lines<'a>(Vec<(&'a str, bool)>);

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self(text.split('\n').map(|line| (line, line.is_ascii())).collect())
    }

    /// Converts a source map position: from 0, columns in UTF-16 units.
    fn position(&self, line: isize, column: isize) -> Option<(u32, u32)> {
        let (line, column) = (usize::try_from(line).ok()?, usize::try_from(column).ok()?);
        let (text, is_ascii) = *self.0.get(line)?;
        let bytes = if is_ascii { column } else { bytes_of_units(text, column) };
        Some((u32::try_from(line + 1).ok()?, u32::try_from(bytes + 1).ok()?))
    }

    fn rest(&self, (line, column): (u32, u32)) -> &'a str {
        let line = self.0.get(line as usize - 1).map(|(line, _)| *line).unwrap_or_default();
        line.get(column as usize - 1..).unwrap_or_default()
    }
}

fn bytes_of_units(text: &str, units: usize) -> usize {
    let mut seen = 0;
    let before = text.chars().take_while(|character| {
        seen += character.len_utf16();
        seen <= units
    });
    before.map(char::len_utf8).sum()
}

fn common_length(one: &str, other: &str, limit: u32) -> u32 {
    let same = one.bytes().zip(other.bytes()).take(limit as usize).take_while(|(one, other)| one == other).count();
    u32::try_from(same).unwrap_or(u32::MAX)
}
