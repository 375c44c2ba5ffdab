//! What can be told of a message that is not understood: whose question it is, in case it is one; and mending the most common flaw.
//! Must not know why it is not understood.

use rmcp::model::RequestId;

/// No id is longer.
const MAX_WORD: usize = 1024;

/// Looks for the members of the outermost object, in pieces of a message as they come.
#[derive(Default)]
pub(super) struct Scan {
    depth: usize,
    is_text: bool,
    is_escaped: bool,
    key: Vec<u8>,
    word: Vec<u8>,
    id: Option<RequestId>,
    has_method: bool,
}

impl Scan {
    /// Looks at more of the message.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.take(*byte));
    }

    /// The id of the message if it is a request.
    pub(super) fn request(self) -> Option<RequestId> {
        self.id.filter(|_| self.has_method)
    }

    fn take(&mut self, byte: u8) {
        if self.is_text {
            self.keep(byte);
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
            b':' if self.depth == 1 => self.key = std::mem::take(&mut self.word),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => {
                self.is_text = byte == b'"';
                self.keep(byte);
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() < MAX_WORD {
            self.word.push(byte);
        }
    }

    fn end_member(&mut self) {
        if self.depth != 1 {
            return;
        }
        let (key, word) = (std::mem::take(&mut self.key), std::mem::take(&mut self.word));
        match &key[..] {
            b"\"id\"" => self.id = serde_json::from_slice(&word).ok(),
            b"\"method\"" => self.has_method = true,
            _ => {}
        }
    }
}

/// Puts U+FFFD in place of every half of a character, as programs leave them that cut text in the middle of an emoji. Whether
/// there were any.
pub(super) fn mend_surrogates(json: &mut [u8]) -> bool {
    let (mut at, mut is_mended) = (0, false);
    while at < json.len() {
        if json[at] != b'\\' {
            at += 1;
            continue;
        }
        let is_low = |unit: Option<u16>| unit.is_some_and(|unit| (0xDC00..0xE000).contains(&unit));
        let unit = unit(json, at);
        at += match unit {
            None => 2,
            Some(0xD800..0xDC00) if is_low(self::unit(json, at + 6)) => 12,
            Some(0xD800..0xE000) => {
                json[at + 2..at + 6].copy_from_slice(b"fffd");
                is_mended = true;
                6
            }
            Some(_) => 6,
        };
    }
    is_mended
}

/// The code unit that is written at this place, as `\u` and four digits.
fn unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_characters_are_mended_and_nothing_else() {
        for (from, to) in [
            (r#""a\ud83d""#, Some(r#""a\ufffd""#)),
            (r#""\ude00\ud83d\ude00\uD83D\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00\ufffd\ud83d\ude00""#)),
            (r#""\\ud83d""#, None),
            (r#""\ud83d\ude00\n""#, None),
            (r#""\u""#, None),
            ("\"\\", None),
        ] {
            let mut json = from.as_bytes().to_vec();
            let is_mended = mend_surrogates(&mut json);
            assert_eq!((str::from_utf8(&json).unwrap(), is_mended), (to.unwrap_or(from), to.is_some()));
        }
    }
}
