//! Paths to a value within an export, as messages and scripts write them.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathKey {
    Name(String),
    Index(usize),
}

impl PathKey {
    pub fn path(names: &[&str]) -> Vec<PathKey> {
        names.iter().map(|name| PathKey::Name((*name).to_owned())).collect()
    }
}

/// The path as a suffix of an expression: `.options.temperature`, `[2].toolName`, `["lab:m"].input`.
pub fn path_suffix(path: &[PathKey]) -> String {
    path.iter().map(path_step).collect()
}

/// A path that starts at an export, as messages write it: `config.options.temperature`.
pub fn path_text(path: &[PathKey]) -> String {
    let steps = path_suffix(path);
    steps.strip_prefix('.').map(str::to_owned).unwrap_or(steps)
}

fn path_step(key: &PathKey) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    match key {
        PathKey::Index(index) => format!("[{index}]"),
        PathKey::Name(name) if !name.is_empty() && name.chars().all(is_plain) => format!(".{name}"),
        PathKey::Name(name) => format!("[{}]", serde_json::Value::from(name.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_scripts_write_them() {
        let path = |names: &[&str], index: Option<usize>, last: &str| {
            let mut path = PathKey::path(names);
            path.extend(index.map(PathKey::Index));
            path.push(PathKey::Name(last.to_owned()));
            path
        };
        assert_eq!(path_text(&path(&["config", "options"], None, "topP")), "config.options.topP");
        assert_eq!(path_text(&path(&["mock"], Some(2), "toolName")), "mock[2].toolName");
        assert_eq!(
            path_text(&path(&["config", "prices", "lab:m\""], None, "input")),
            "config.prices[\"lab:m\\\"\"].input"
        );
        assert_eq!(path_suffix(&path(&["lab:m"], None, "")), "[\"lab:m\"][\"\"]");
        assert_eq!((path_text(&[]), path_suffix(&[])), (String::new(), String::new()));
    }
}
