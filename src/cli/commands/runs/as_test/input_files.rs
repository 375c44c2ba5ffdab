//! Files of the input of a test, which stand in a folder next to it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::literal::string;
use lmthing_base::input::InputFile;

/// The function of the test that reads one of them.
const FUNCTION: &str = "file";

#[derive(Default)]
pub(super) struct InputFiles {
    /// The name of the folder.
    folder: String,
    /// With their paths in the folder.
    files: Vec<(String, InputFile)>,
}

impl InputFiles {
    pub(super) fn of(folder: String, input: &Value) -> Self {
        let mut files = InputFiles { folder, files: Vec::new() };
        files.add(input);
        files
    }

    fn add(&mut self, value: &Value) {
        if let Some(file) = InputFile::read(value) {
            let is_known = self.files.iter().any(|(_, known)| *known == file);
            if is_known || !is_plain(&file.name) {
                return;
            }
            let has_name = |(_, known): &(String, InputFile)| known.name.eq_ignore_ascii_case(&file.name);
            let path = match self.files.iter().any(has_name) {
                true => format!("{}/{}", self.files.len() + 1, file.name),
                false => file.name.clone(),
            };
            return self.files.push((path, file));
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.add(field)),
            _ => {}
        }
    }

    /// Paths and contents, for a test in this folder.
    pub(super) fn contents<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = (PathBuf, &'a [u8])> {
        self.files.iter().map(move |(path, file)| (folder.join(&self.folder).join(path), file.bytes.as_slice()))
    }

    /// The call that stands for a file in the input.
    pub(super) fn call(&self, value: &Value) -> Option<String> {
        let file = InputFile::read(value)?;
        let (path, file) = self.files.iter().find(|(_, known)| *known == file)?;
        Some(format!("{FUNCTION}({}, {})", string(path), string(&file.media_type)))
    }

    /// What the test needs before it can call the function.
    pub(super) fn import(&self) -> &'static str {
        if self.files.is_empty() { "" } else { "import { readFileSync } from 'node:fs';\n" }
    }

    pub(super) fn function(&self) -> String {
        if self.files.is_empty() {
            return String::new();
        }
        let folder = string(&format!("./{}/", self.folder));
        format!(
            "/**\n * A file of the run's input.\n * @param {{string}} path\n * @param {{string}} type\n */\n\
             const {FUNCTION} = (path, type) =>\n  new File([readFileSync(new URL({folder} + path, import.meta.url))], \
             path.replace(/.*\\//, ''), {{ type }});\n\n"
        )
    }
}

/// Whether it is the same name in a path and in the address of a file.
fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._- ".contains(c);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain)
}
