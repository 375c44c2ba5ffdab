//! The system prompt's text. Values are not escaped: models read the tags loosely, and escaped text would mislead them
//! more.

use std::fmt::Write;

use serde_json::Value;

use super::definitions::Variable;

/// Writes a value as YAML, ending in a line feed.
///
/// Strings that YAML 1.1 readers would take for something else (`yes`, `n`, dates) come out quoted.
pub(crate) fn to_yaml(value: &Value) -> Result<String, String> {
    let mut text = serde_saphyr::to_string(value).map_err(|error| error.to_string())?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The system prompt: plain text first, then sections, then variables. `None` when there is nothing at all.
pub(super) fn system_prompt<'a>(
    plain: Option<&str>,
    sections: impl Iterator<Item = (&'a str, &'a str)>,
    variables: impl Iterator<Item = (&'a str, &'a Variable)>,
) -> Option<String> {
    let mut blocks: Vec<String> = plain.filter(|text| !text.is_empty()).map(str::to_owned).into_iter().collect();
    blocks.extend(sections.map(|(name, content)| format!("<{name}>\n{content}\n</{name}>")));
    let mut entries = String::new();
    for (name, value) in variables {
        // Writing to a String cannot fail.
        let _ = match value {
            Variable::Text(text) => writeln!(entries, "  <{name}>{text}</{name}>"),
            Variable::Yaml(yaml) => writeln!(entries, "  <{name}>\n{yaml}  </{name}>"),
        };
    }
    if !entries.is_empty() {
        blocks.push(format!("<variables>\n{entries}</variables>"));
    }
    (!blocks.is_empty()).then(|| blocks.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_text_sections_and_variables_come_in_this_order() {
        let text = Variable::Text("1 < 2".into());
        let data = Variable::Yaml("a: 1\n".into());
        let rendered =
            system_prompt(Some("Be kind."), [("role", "Poet")].into_iter(), [("X", &text), ("D", &data)].into_iter());
        let expected =
            "Be kind.\n\n<role>\nPoet\n</role>\n\n<variables>\n  <X>1 < 2</X>\n  <D>\na: 1\n  </D>\n</variables>";
        assert_eq!(rendered.as_deref(), Some(expected));
    }

    #[test]
    fn nothing_defined_is_no_system_prompt() {
        assert_eq!(system_prompt(None, std::iter::empty(), std::iter::empty()), None);
    }

    #[test]
    fn yaml_quotes_what_would_be_read_as_something_else() {
        let yaml = to_yaml(&json!({ "a": "yes", "b": "1", "c": [1, "x"], "d": {} })).unwrap();
        for line in yaml.lines().filter(|line| line.starts_with("a:") || line.starts_with("b:")) {
            assert!(line.contains(['"', '\'']), "{line}");
        }
        assert!(yaml.ends_with('\n'));
    }
}
