//! Extracts the request id from messages that cannot be parsed, and repairs lone surrogates.

use rmcp::model::RequestId;

/// Longest id in bytes.
const MAX_VALUE: usize = 1024;

/// Finds the members `id` and `method` of the outermost object. Input may be cut anywhere.
#[derive(Default)]
pub(super) struct RequestIdScanner {
    depth: usize,
    is_text: bool,
    is_escaped: bool,
    key: Vec<u8>,
    value: Vec<u8>,
    id: Option<RequestId>,
    has_method: bool,
}

impl RequestIdScanner {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.take(*byte));
    }

    pub(super) fn request(self) -> Option<RequestId> {
        self.id.filter(|_| self.has_method)
    }

    fn take(&mut self, byte: u8) {
        if self.is_text {
            self.push_value(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_member();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_member(),
            b':' if self.depth == 1 => self.key = std::mem::take(&mut self.value),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => {
                self.is_text = byte == b'"';
                self.push_value(byte);
            }
        }
    }

    fn push_value(&mut self, byte: u8) {
        if self.depth == 1 && self.value.len() < MAX_VALUE {
            self.value.push(byte);
        }
    }

    fn end_member(&mut self) {
        if self.depth != 1 {
            return;
        }
        let (key, value) = (std::mem::take(&mut self.key), std::mem::take(&mut self.value));
        match &key[..] {
            b"\"id\"" => self.id = serde_json::from_slice(&value).ok(),
            b"\"method\"" => self.has_method = true,
            _ => {}
        }
    }
}

/// Replaces lone surrogates in `\u` escapes by U+FFFD; returns whether there were any. Programs that cut text within an
/// emoji send such escapes.
pub(super) fn replace_lone_surrogates(json: &mut [u8]) -> bool {
    let (mut at, mut has_replaced) = (0, false);
    while at < json.len() {
        if json[at] != b'\\' {
            at += 1;
            continue;
        }
        let is_low = |code_unit: Option<u16>| code_unit.is_some_and(|code_unit| (0xDC00..0xE000).contains(&code_unit));
        let code_unit = code_unit(json, at);
        at += match code_unit {
            None => 2,
            Some(0xD800..0xDC00) if is_low(self::code_unit(json, at + 6)) => 12,
            Some(0xD800..0xE000) => {
                json[at + 2..at + 6].copy_from_slice(b"fffd");
                has_replaced = true;
                6
            }
            Some(_) => 6,
        };
    }
    has_replaced
}

/// The UTF-16 code unit of a `\u` escape at this position.
fn code_unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (from, to) in [
            (r#""a\ud83d""#, Some(r#""a\ufffd""#)),
            (r#""\ude00\ud83d\ude00\uD83D\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00\ufffd\ud83d\ude00""#)),
            (r#""\\ud83d""#, None),
            (r#""\ud83d\ude00\n""#, None),
            (r#""\u""#, None),
            ("\"\\", None),
        ] {
            let mut json = from.as_bytes().to_vec();
            let has_replaced = replace_lone_surrogates(&mut json);
            assert_eq!((str::from_utf8(&json).unwrap(), has_replaced), (to.unwrap_or(from), to.is_some()));
        }
    }
}
