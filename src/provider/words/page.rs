//! What a web page or another text in tags says.

/// Whether the text is a web page, as proxies, logins and content networks answer with.
pub(super) fn is_page(text: &str) -> bool {
    let start: String = text.chars().take(1_000).collect::<String>().to_ascii_lowercase();
    start.starts_with('<')
        && ["<!doctype html", "<html", "<head", "<title", "<body"].iter().any(|tag| start.contains(tag))
}

/// A page's title, else its first heading, else all of its text.
pub(super) fn words(page: &str) -> String {
    let said = |tag| element(page, tag).map(text_of).filter(|text| !text.is_empty());
    said("title").or_else(|| said("h1")).unwrap_or_else(|| text_of(page))
}

/// What stands in the first element of this name.
fn element<'a>(page: &'a str, tag: &str) -> Option<&'a str> {
    // The lower case of ASCII has the same length, so that places agree.
    let lower = page.to_ascii_lowercase();
    let mut from = 0;
    loop {
        let open = from + lower[from..].find(&format!("<{tag}"))?;
        let behind = open + 1 + tag.len();
        // `<titles>` is another element.
        if !lower[behind..].starts_with(|c: char| c == '>' || c.is_whitespace()) {
            from = behind;
            continue;
        }
        let start = behind + lower[behind..].find('>')? + 1;
        let end = start + lower[start..].find(&format!("</{tag}"))?;
        return Some(&page[start..end]);
    }
}

/// The text between tags, with a space in the place of each tag.
fn text_of(markup: &str) -> String {
    let mut text = String::new();
    let mut left = markup;
    while let Some((before, rest)) = left.split_once('<') {
        text.push_str(before);
        text.push(' ');
        let lower = rest.get(..7).unwrap_or(rest).to_ascii_lowercase();
        let hidden = ["script", "style"].into_iter().find(|tag| lower.starts_with(tag));
        let rest = match hidden {
            Some(tag) => rest.split_once(&format!("</{tag}")).map_or("", |(_, rest)| rest),
            None => rest,
        };
        left = rest.split_once('>').map_or("", |(_, rest)| rest);
    }
    text.push_str(left);
    super::one_line(&decoded(&text))
}

/// The characters that pages mostly write as entities.
fn decoded(text: &str) -> String {
    const ENTITIES: [(&str, &str); 9] = [
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&mdash;", "—"),
        ("&hellip;", "…"),
        // The last, so that `&amp;lt;` becomes `&lt;`.
        ("&amp;", "&"),
    ];
    ENTITIES.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_by_their_titles() {
        assert!(is_page("<!doctype html><title>Sign in</title>") && !is_page("<Error>no</Error>") && !is_page("{}"));
        assert_eq!(words("<html><TITLE lang=\"en\">Just a\n moment&hellip;</TITLE></html>"), "Just a moment…");
        assert_eq!(words("<html><titles>x</titles><h1>502 &amp;lt; <b>Bad</b> Gateway</h1>"), "502 &lt; Bad Gateway");
        assert_eq!(words("<html><style>p {}</style><p>No <i>way</i></p><script>1 < 2</script>"), "No way");
        assert_eq!(words("<html><title>cut"), "cut");
        assert_eq!(words("<"), "");
    }
}
