//! Finds `<run_code>` blocks in streamed text, wherever it is cut (docs/reference/code-mode.md).

const OPEN: &str = "<run_code>";
const CLOSE: &str = "</run_code>";

pub const SECTION: &str = "available_methods";

pub fn section_text(declarations: &str) -> String {
    format!(
        "You can run TypeScript in the middle of your answer. Write {OPEN}…{CLOSE} with the body of an async function \
         between the tags; it may call the functions below. A value that it returns takes the place of the block, and your \
         answer ends there. It is type-checked first.\n\n{declarations}"
    )
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSegment {
    Text(String),
    Code(String),
}

/// Splits streamed text into plain text and code. Plain text is withheld only while it may be the start of a tag.
#[derive(Debug, Default)]
pub struct CodeBlockSplitter {
    held: String,
    in_code: bool,
}

impl CodeBlockSplitter {
    /// Adds a delta of text, and returns the parts that are certain now.
    pub fn push(&mut self, text: &str) -> Vec<TextSegment> {
        self.held.push_str(text);
        let mut pieces = Vec::new();
        loop {
            let tag = if self.in_code { CLOSE } else { OPEN };
            if let Some(start) = self.held.find(tag) {
                let inside: String = self.held.drain(..start).collect();
                self.held.drain(..tag.len());
                if self.in_code {
                    pieces.push(TextSegment::Code(inside));
                } else if !inside.is_empty() {
                    pieces.push(TextSegment::Text(inside));
                }
                self.in_code = !self.in_code;
                continue;
            }
            if !self.in_code {
                // Code is not shown, so the content of a block is withheld until its end.
                let certain = self.held.len() - beginning_of(tag, &self.held);
                if certain > 0 {
                    pieces.push(TextSegment::Text(self.held.drain(..certain).collect()));
                }
            }
            return pieces;
        }
    }

    /// Ends the text: the rest is plain text, including an unclosed block.
    pub fn finish(&mut self) -> Option<String> {
        let open = if std::mem::take(&mut self.in_code) { OPEN } else { "" };
        let rest = format!("{open}{}", std::mem::take(&mut self.held));
        (!rest.is_empty()).then_some(rest)
    }
}

/// How many bytes at the end of `text` are a prefix of `tag`.
fn beginning_of(tag: &str, text: &str) -> usize {
    // The longest prefix, or a tag could be missed.
    (1..tag.len()).rev().find(|&length| text.ends_with(&tag[..length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plain text and code of a text that arrives in the given deltas.
    fn split(pieces: &[&str]) -> (String, Vec<String>) {
        let mut watcher = CodeBlockSplitter::default();
        let (mut text, mut code) = (String::new(), Vec::new());
        for piece in pieces.iter().flat_map(|piece| watcher.push(piece)).collect::<Vec<_>>() {
            match piece {
                TextSegment::Text(piece) => text.push_str(&piece),
                TextSegment::Code(piece) => code.push(piece),
            }
        }
        text.push_str(&watcher.finish().unwrap_or_default());
        (text, code)
    }

    #[test]
    fn every_way_to_cut_a_text_gives_the_same() {
        let whole = "a <b> é<run_code>return 1 < 2;</run_code> <run_<run_code></run_code>z";
        let expected = ("a <b> é <run_z".to_owned(), vec!["return 1 < 2;".to_owned(), String::new()]);
        let borders: Vec<usize> = (0..=whole.len()).filter(|&at| whole.is_char_boundary(at)).collect();
        for &first in &borders {
            for &second in borders.iter().filter(|&&second| second >= first) {
                assert_eq!(split(&[&whole[..first], &whole[first..second], &whole[second..]]), expected);
            }
        }
    }

    #[test]
    fn plain_text_is_held_back_only_while_it_may_be_a_tag() {
        let mut watcher = CodeBlockSplitter::default();
        assert_eq!(watcher.push("x <run"), [TextSegment::Text("x ".into())]);
        assert_eq!(watcher.push("s fast"), [TextSegment::Text("<runs fast".into())]);
        assert_eq!(watcher.finish(), None);
    }

    #[test]
    fn a_block_that_is_never_closed_is_text() {
        assert_eq!(split(&["go <run_code>return 1"]), ("go <run_code>return 1".to_owned(), Vec::new()));
    }
}
