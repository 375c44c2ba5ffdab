//! Which value something is said of: the keys that lead to it from the name of an export down. Must not know what the values are.

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A property, or an export.
    Name(String),
    /// An element of a list, from 0.
    Index(usize),
}

impl Key {
    /// The keys with these names.
    pub(crate) fn path(names: &[&str]) -> Vec<Key> {
        names.iter().map(|name| Key::Name((*name).to_owned())).collect()
    }
}

/// The steps as a script writes them behind a value: `.options.temperature`, `[2].toolName`, `["lab:m"].input`.
pub(crate) fn steps(path: &[Key]) -> String {
    path.iter().map(step).collect()
}

/// A path from an export down, as messages write it: `config.options.temperature`.
pub(crate) fn written(path: &[Key]) -> String {
    let steps = steps(path);
    steps.strip_prefix('.').map(str::to_owned).unwrap_or(steps)
}

fn step(key: &Key) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    match key {
        Key::Index(index) => format!("[{index}]"),
        Key::Name(name) if !name.is_empty() && name.chars().all(is_plain) => format!(".{name}"),
        Key::Name(name) => format!("[{}]", serde_json::Value::from(name.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_scripts_write_them() {
        let path = |names: &[&str], index: Option<usize>, last: &str| {
            let mut path = Key::path(names);
            path.extend(index.map(Key::Index));
            path.push(Key::Name(last.to_owned()));
            path
        };
        assert_eq!(written(&path(&["config", "options"], None, "topP")), "config.options.topP");
        assert_eq!(written(&path(&["mock"], Some(2), "toolName")), "mock[2].toolName");
        assert_eq!(
            written(&path(&["config", "prices", "lab:m\""], None, "input")),
            "config.prices[\"lab:m\\\"\"].input"
        );
        assert_eq!(steps(&path(&["lab:m"], None, "")), "[\"lab:m\"][\"\"]");
        assert_eq!((written(&[]), steps(&[])), (String::new(), String::new()));
    }
}
