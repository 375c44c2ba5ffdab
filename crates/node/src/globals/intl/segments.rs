//! Boundaries of characters, words and sentences, using ICU4X. Positions count UTF-16 units.

use icu_segmenter::options::{SentenceBreakInvariantOptions, WordBreakInvariantOptions};
use icu_segmenter::{GraphemeClusterSegmenter, SentenceSegmenter, WordSegmenter};

/// `findBoundaries(granularity, text)`: the end of each segment, in order. Negative for segments of words without
/// letters or digits.
pub(super) fn find_boundaries(granularity: String, text: String) -> Vec<i32> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let position = |end: usize| i32::try_from(end).unwrap_or(i32::MAX);
    match granularity.as_str() {
        "word" => {
            // Scripts without spaces are segmented by dictionary, as in ICU; the neural network models are not
            // included.
            WordSegmenter::new_dictionary(WordBreakInvariantOptions::default())
                .segment_utf16(&units)
                .iter_with_word_type()
                .skip(1)
                .map(|(end, kind)| if kind.is_word_like() { position(end) } else { -position(end) })
                .collect()
        }
        "sentence" => {
            let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
            segmenter.segment_utf16(&units).skip(1).map(position).collect()
        }
        _ => GraphemeClusterSegmenter::new().segment_utf16(&units).skip(1).map(position).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_scripts_without_spaces_are_found() {
        assert_eq!(find_boundaries("word".into(), "Hi, du!".into()), [2, -3, -4, 6, -7]);
        assert_eq!(find_boundaries("word".into(), "こんにちは世界".into()), [5, 7]);
        assert_eq!(find_boundaries("grapheme".into(), "👩‍👩‍👧é".into()).len(), 2);
        assert!(find_boundaries("word".into(), String::new()).is_empty());
    }
}
