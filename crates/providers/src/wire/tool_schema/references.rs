//! References within a schema.

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// The part that a reference leads to; `None` if it leads out of the schema.
pub(super) fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let fragment = reference.strip_prefix('#')?;
    let fragment = percent_decode_str(fragment).decode_utf8_lossy();
    if fragment.is_empty() || fragment.starts_with('/') {
        return root.pointer(&fragment);
    }
    ["$defs", "definitions"].iter().filter_map(|key| root.get(key)?.as_object()).flat_map(|parts| parts.values()).find(
        |part| ["$anchor", "$dynamicAnchor"].iter().any(|key| part.get(key).is_some_and(|name| *name == *fragment)),
    )
}
