//! Text in web pages and other markup.

pub(super) fn is_page(text: &str) -> bool {
    let start: String = text.chars().take(1_000).collect::<String>().to_ascii_lowercase();
    start.starts_with('<')
        && ["<!doctype html", "<html", "<head", "<title", "<body"].iter().any(|tag| start.contains(tag))
}

pub(super) fn text(page: &str) -> String {
    let text_in = |tag| element(page, tag).map(text_of).filter(|text| !text.is_empty());
    text_in("title").or_else(|| text_in("h1")).unwrap_or_else(|| text_of(page))
}

fn element<'a>(page: &'a str, tag: &str) -> Option<&'a str> {
    let lower = page.to_ascii_lowercase();
    let mut from = 0;
    loop {
        let open = from + lower[from..].find(&format!("<{tag}"))?;
        let after = open + 1 + tag.len();
        if !lower[after..].starts_with(|c: char| c == '>' || c.is_whitespace()) {
            from = after;
            continue;
        }
        let start = after + lower[after..].find('>')? + 1;
        let end = start + lower[start..].find(&format!("</{tag}"))?;
        return Some(&page[start..end]);
    }
}

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
        // The last one, so that `&amp;lt;` becomes `&lt;`.
        ("&amp;", "&"),
    ];
    ENTITIES.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_pages_are_found() {
        assert!(is_page("<!doctype html><title>Sign in</title>") && !is_page("<Error>no</Error>") && !is_page("{}"));
        assert_eq!(text("<html><TITLE lang=\"en\">Just a\n moment&hellip;</TITLE></html>"), "Just a moment…");
        assert_eq!(text("<html><titles>x</titles><h1>502 &amp;lt; <b>Bad</b> Gateway</h1>"), "502 &lt; Bad Gateway");
        assert_eq!(text("<html><style>p {}</style><p>No <i>way</i></p><script>1 < 2</script>"), "No way");
        assert_eq!(text("<html><title>cut"), "cut");
        assert_eq!(text("<"), "");
    }
}
