//! Fills data into a page, such as the lines of a run.

use std::io::{self, Read};

use flate2::read::DeflateDecoder;

use super::RunLines;

const TITLE: &str = "@TITLE@";
const DATA: &str = "@DATA@";

/// The page of a run. Fails if the embedded page is damaged.
pub fn write(template: &[u8], run: &RunLines) -> io::Result<String> {
    let name = run.file.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or("A run");
    fill(template, name, &data_of(run))
}

/// Puts a title and data into a page. Fails if the page is damaged. `template` is a compressed page with two placeholders,
/// which `runtime-js/pages.mjs` makes.
pub fn fill(template: &[u8], title: &str, json: &str) -> io::Result<String> {
    let mut page = String::new();
    DeflateDecoder::new(template).read_to_string(&mut page)?;
    let parts = page.split_once(TITLE).and_then(|(head, rest)| Some((head, rest.split_once(DATA)?)));
    let (head, (middle, end)) = parts.ok_or(io::ErrorKind::InvalidData)?;
    let mut out = String::with_capacity(page.len() + json.len() + json.len() / 16);
    out.push_str(head);
    push_title(&mut out, title);
    out.push_str(middle);
    push_json(&mut out, json);
    out.push_str(end);
    Ok(out)
}

fn push_title(out: &mut String, title: &str) {
    for character in title.chars().filter(|character| !character.is_control()).take(200) {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            other => out.push(other),
        }
    }
    out.push_str(" – lmthing");
}

/// The lines of a run as one JSON value.
fn data_of(run: &RunLines) -> String {
    let damaged: Vec<String> = run.damaged.iter().map(usize::to_string).collect();
    let (damaged, status, events) = (damaged.join(","), run.status.unwrap_or_default(), run.lines.join(",\n"));
    format!("{{\"damaged\":[{damaged}],\"status\":\"{status}\",\"events\":[\n{events}\n]}}")
}

/// Writes JSON in an equivalent form: in the element of the page's data, browsers only look for its end and for comments, which
/// both start with `<`. The escaped characters occur only in JSON strings.
fn push_json(out: &mut String, json: &str) {
    let mut done = 0;
    for (at, found) in json.match_indices(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        out.push_str(&json[done..at]);
        let code = found.chars().next().map_or(0, u32::from);
        out.push_str(&format!("\\u{code:04x}"));
        done = at + found.len();
    }
    out.push_str(&json[done..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_data_ends_or_begins_an_element() {
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
