//! Paths to values as errors write them: `config.options.temperature`, `mock[2].toolName`, `config.prices["lab:m"].input`.
//! Must not know what the values are.

use super::super::fault::Key;

/// The exports that errors are about.
const EXPORTS: [&str; 6] = ["config", "mock", "input", "output", "description", "default"];

/// The path that a message begins with, when it is about an export: that of the keys in `config.limits.steps must be …`, of
/// `the export mock: mock item 2 …` or of `the default export of …`. Empty for any other message.
pub(crate) fn path_in(message: &str) -> Vec<Key> {
    // As errors that were thrown are told.
    let message =
        ["Error: ", "TypeError: "].iter().fold(message, |rest, class| rest.strip_prefix(class).unwrap_or(rest));
    if message.starts_with("the default export") {
        return vec![Key::Name("default".to_owned())];
    }
    let message = message.strip_prefix("the export ").unwrap_or(message);
    let name = message.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    if !EXPORTS.contains(&name) {
        return Vec::new();
    }
    let mut path = vec![Key::Name(name.to_owned())];
    let mut rest = &message[name.len()..];
    while let Some((key, behind)) = step(rest) {
        path.push(key);
        rest = behind;
    }
    if let Some(item) = rest.strip_prefix(": mock item ") {
        path.extend(item.split(' ').next().and_then(|number| number.parse().ok()).map(Key::Index));
    }
    path
}

/// One `.name`, `[2]` or `["name"]`, and what is behind it.
fn step(text: &str) -> Option<(Key, &str)> {
    if let Some(text) = text.strip_prefix('.') {
        let end = text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '$'));
        let (name, rest) = text.split_at(end.unwrap_or(text.len()));
        return (!name.is_empty()).then(|| (Key::Name(name.to_owned()), rest));
    }
    let text = text.strip_prefix('[')?;
    if text.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
        let name = values.next()?.ok()?;
        let rest = text.get(values.byte_offset()..)?.strip_prefix(']')?;
        return Some((Key::Name(name), rest));
    }
    let (index, rest) = text.split_once(']')?;
    Some((Key::Index(index.parse().ok()?), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(message: &str) -> String {
        let key = |key: Key| match key {
            Key::Name(name) => name,
            Key::Index(index) => index.to_string(),
        };
        path_in(message).into_iter().map(key).collect::<Vec<_>>().join("/")
    }

    #[test]
    fn the_path_at_the_beginning_is_read() {
        for (message, path) in [
            ("config.options.temperature must be a number, got 'hot'", "config/options/temperature"),
            ("TypeError: config.options.timeout.total must be a number", "config/options/timeout/total"),
            ("the export mock: mock item 12 (text) has an unknown key 'x'", "mock/12"),
            ("the export mock[2].toolName is unknown", "mock/2/toolName"),
            ("the export config of p.lmt.mjs has no model", "config"),
            ("the default export of p.lmt.mjs must be a function", "default"),
            ("the export input of p.lmt.mjs must be a zod schema", "input"),
            ("config.plugins[1]: 'def' is a method of every prompt", "config/plugins/1"),
            ("config.prices[\"lab:m\\\"]\"].input is -1; expected", "config/prices/lab:m\"]/input"),
            ("config.prices[0] is no model", "config/prices/0"),
            ("config.sandbox.: odd", "config/sandbox"),
            ("config[", "config"),
            ("configuration is missing", ""),
            ("defTool('add'): no", ""),
            ("", ""),
        ] {
            assert_eq!(written(message), path, "{message}");
        }
    }
}
