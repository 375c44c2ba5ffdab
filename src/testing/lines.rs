//! What scripts print in pieces, put together to lines: neither half a character nor half a key is shown as what it is not. Must
//! not know who prints.

/// How long a line without an end may get.
const LONGEST: usize = 64 << 10;

/// How much of a longer one stays: a key may have begun in it.
const KEPT: usize = 8 << 10;

/// The line that was begun.
#[derive(Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
}

impl Lines {
    /// Takes what is printed; gives the lines that are whole now.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Option<String> {
        self.begun.extend_from_slice(bytes);
        let end = match self.begun.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            None if self.begun.len() <= LONGEST => return None,
            None => {
                let is_first = |byte: &u8| byte & 0b1100_0000 != 0b1000_0000;
                let kept = self.begun.len() - KEPT;
                kept + self.begun[kept..].iter().position(is_first).unwrap_or(0)
            }
        };
        let rest = self.begun.split_off(end);
        Some(text(&std::mem::replace(&mut self.begun, rest)))
    }

    /// The line that was begun, which nothing comes behind; empty without one.
    pub(super) fn take(&mut self) -> String {
        text(&std::mem::take(&mut self.begun))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_pieces_the_lines_are_the_same() {
        let all = "größer\nλ\nend".as_bytes();
        for cut in 0..all.len() {
            let mut lines = Lines::default();
            let shown = [lines.push(&all[..cut]), lines.push(&all[cut..]), Some(lines.take())];
            let shown: Vec<String> = shown.into_iter().flatten().collect();
            assert_eq!(shown.concat().as_bytes(), all);
            assert!(shown.iter().all(|piece| piece.ends_with('\n') || piece == "end"), "{shown:?}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_shown_but_for_its_last_part() {
        let mut lines = Lines::default();
        let pieces: Vec<String> = (0..LONGEST).filter_map(|_| lines.push("ä".as_bytes())).collect();
        assert!(!pieces.is_empty());
        let shown = pieces.concat() + &lines.take();
        assert_eq!(shown, "ä".repeat(LONGEST));
    }
}
