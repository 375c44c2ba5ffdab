//! Collects printed pieces into lines, so that no character and no secret is split where secrets are removed.

/// The size in bytes at which a line without an end is printed.
const LONGEST: usize = 64 << 10;

/// The bytes of such a line that are kept back, as a secret may begin in them.
const RETAINED: usize = 8 << 10;

/// What a script has printed of a line that is not complete.
#[derive(Default)]
pub struct LineBuffer {
    partial: Vec<u8>,
}

impl LineBuffer {
    /// Adds printed bytes; returns the lines that are complete.
    pub fn push(&mut self, bytes: &[u8]) -> Option<String> {
        self.partial.extend_from_slice(bytes);
        let end = match self.partial.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            None if self.partial.len() <= LONGEST => return None,
            None => {
                let is_first = |byte: &u8| byte & 0b1100_0000 != 0b1000_0000;
                let end = self.partial.len() - RETAINED;
                end + self.partial[end..].iter().position(is_first).unwrap_or(0)
            }
        };
        let rest = self.partial.split_off(end);
        Some(text(&std::mem::replace(&mut self.partial, rest)))
    }

    /// Takes the line that is not complete; empty if there is none.
    pub fn take(&mut self) -> String {
        text(&std::mem::take(&mut self.partial))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_do_not_depend_on_how_the_text_is_cut() {
        let all = "größer\nλ\nend".as_bytes();
        for cut in 0..all.len() {
            let mut lines = LineBuffer::default();
            let shown = [lines.push(&all[..cut]), lines.push(&all[cut..]), Some(lines.take())];
            let shown: Vec<String> = shown.into_iter().flatten().collect();
            assert_eq!(shown.concat().as_bytes(), all);
            assert!(shown.iter().all(|piece| piece.ends_with('\n') || piece == "end"), "{shown:?}");
        }
    }

    #[test]
    fn a_long_line_is_printed_except_its_last_part() {
        let mut lines = LineBuffer::default();
        let pieces: Vec<String> = (0..LONGEST).filter_map(|_| lines.push("ä".as_bytes())).collect();
        assert!(!pieces.is_empty());
        let shown = pieces.concat() + &lines.take();
        assert_eq!(shown, "ä".repeat(LONGEST));
    }
}
