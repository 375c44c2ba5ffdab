//! Fills the lines of a run into the page.

use std::io::{self, Read};

use flate2::read::DeflateDecoder;

use super::RunLines;

const TITLE: &str = "@TITLE@";
const EVENTS: &str = "@EVENTS@";

/// Fails if the embedded page is damaged. `template` is the compressed page with two placeholders, which
/// `runtime-js/view.mjs` makes.
pub fn write(template: &[u8], run: &RunLines) -> io::Result<String> {
    let mut page = String::new();
    DeflateDecoder::new(template).read_to_string(&mut page)?;
    let parts = page.split_once(TITLE).and_then(|(head, rest)| Some((head, rest.split_once(EVENTS)?)));
    let (head, (middle, end)) = parts.ok_or(io::ErrorKind::InvalidData)?;
    let length: usize = run.lines.iter().map(|line| line.len() + 2).sum();
    let mut out = String::with_capacity(page.len() + length + length / 16);
    out.push_str(head);
    push_title(&mut out, &run.file);
    out.push_str(middle);
    push_events(&mut out, run);
    out.push_str(end);
    Ok(out)
}

fn push_title(out: &mut String, file: &str) {
    let name = file.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or("A run");
    for character in name.chars().filter(|character| !character.is_control()).take(200) {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            other => out.push(other),
        }
    }
    out.push_str(" – lmthing");
}

/// Writes the lines as one JSON value. In the element of the page's data, browsers only look for its end and for comments, which
/// both start with `<`.
fn push_events(out: &mut String, run: &RunLines) {
    let damaged: Vec<String> = run.damaged.iter().map(usize::to_string).collect();
    out.push_str("{\"damaged\":[");
    out.push_str(&damaged.join(","));
    out.push_str("],\"status\":\"");
    out.push_str(run.status.unwrap_or_default());
    out.push_str("\",\"events\":[");
    for (index, line) in run.lines.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        push_json(out, line);
    }
    out.push_str("\n]}");
}

/// Writes a line in an equivalent form. The escaped characters occur only in JSON strings.
fn push_json(out: &mut String, line: &str) {
    let mut done = 0;
    for (at, found) in line.match_indices(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        out.push_str(&line[done..at]);
        let code = found.chars().next().map_or(0, u32::from);
        out.push_str(&format!("\\u{code:04x}"));
        done = at + found.len();
    }
    out.push_str(&line[done..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_line_ends_or_begins_an_element() {
        let text = "</script><!--<script>]]>&\u{2028}\u{2029}é";
        let line = serde_json::json!({ "type": "warning", "message": text, "</script>": 1 }).to_string();
        let mut out = String::new();
        push_json(&mut out, &line);
        assert!(!out.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{out}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap()["message"], text);
    }

    #[test]
    fn the_title_is_text() {
        let run = RunLines { file: "a/<b>&\u{1b}c.lmt.mjs".into(), ..RunLines::default() };
        let page = write(lmthing_runtime::VIEW, &run).unwrap();
        assert!(page.contains("<title>&lt;b&gt;&amp;c.lmt.mjs – lmthing</title>"), "{}", &page[..800]);
    }
}
