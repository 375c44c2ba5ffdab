//! One of the author's files, with the edited copy that the type checker reads.

use std::ops::Range;
use std::path::{Path, PathBuf};

use tsr_arena::Error;

use super::edited_text::{EditedText, span};
use super::export_types::ExportEdits;
use super::imports::Imports;
use super::widen;
use crate::{Finding, Severity, Span};
use lmthing_base::diagnostic::InvalidJson;
use lmthing_base::parser::Language;
use lmthing_node::{ImportLookup, ImportProblem, read_module};
use lmthing_system::files::{FileKind, is_prompt_file};
use lmthing_typescript::code::{Tree, check_nesting};

#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) language: Language,
    pub(super) edited: EditedText,
    /// If not empty, nothing else is checked.
    pub(super) syntax: Vec<Finding>,
    pub(super) broken_imports: Vec<Finding>,
    pub(super) imports: Imports,
    /// The bytes of `config` and `mock`, from the name to the end of the value.
    pub(super) values: Vec<(&'static str, Range<usize>)>,
}

impl Source {
    pub(super) fn read(path: &Path, is_prompt: bool, lookup: &ImportLookup) -> Result<Self, Box<Finding>> {
        let at = |span| move |message: String| Box::new(Finding { span, ..finding(path, (0, 0), "", "file", message) });
        let text = read_module(path).map_err(|error| at(None)(error.message))?;
        let language = Language::of_file(path).unwrap_or(Language::JavaScript);
        check_nesting(&text).map_err(|error| {
            let place = crate::Position { line: error.line, column: error.column };
            at(Some(Span { start: place, end: place }))(error.message.clone())
        })?;
        let parsed = Tree::parse(&text, language);
        let kind = if is_prompt { Some(FileKind::Prompt) } else { is_prompt_file(path).then(|| FileKind::of(path)) };
        let made = parsed.and_then(|tree| {
            let read = match (tree.problems()?.is_empty(), kind) {
                (true, Some(FileKind::Prompt)) => {
                    (Imports::of(&tree, path, lookup)?, ExportEdits::of_prompt(&tree, language)?)
                }
                (true, Some(FileKind::Eval)) => {
                    (Imports::of(&tree, path, lookup)?, ExportEdits::of_eval(&tree, language)?)
                }
                (true, _) => (Imports::of(&tree, path, lookup)?, ExportEdits::default()),
                (false, _) => (Imports::default(), ExportEdits::default()),
            };
            Self::of(path, language, &tree, text, read)
        });
        made.map_err(|error| at(None)(format!("The file cannot be parsed ({error})")))
    }

    fn of(
        path: &Path,
        language: Language,
        tree: &Tree,
        text: String,
        (imports, export_edits): (Imports, ExportEdits),
    ) -> Result<Self, Error> {
        let mut syntax = Vec::new();
        if let Some(problem) = tree.problems()?.into_iter().next() {
            let end = (problem.offset + 1).max(identifier_end(&text, problem.offset));
            let code = format!("TS{}", problem.code);
            let mut found = finding(path, (problem.offset, end), &text, &code, problem.message);
            found.hint = syntax_hint(problem.code, path);
            syntax.push(found);
        }
        let broken_imports =
            imports.problems.iter().map(|(range, problem)| broken_import(path, &text, range, problem)).collect();
        let widened = match language {
            Language::JavaScript if syntax.is_empty() => widen::edits(tree)?,
            _ => Vec::new(),
        };
        // At the same position, the edit around a value comes before the edits inside it.
        let edits = imports.edits.iter().cloned().chain(export_edits.edits).chain(widened).collect();
        let edited = EditedText::new(text, edits);
        Ok(Self {
            path: path.to_owned(),
            language,
            edited,
            syntax,
            broken_imports,
            imports,
            values: export_edits.values,
        })
    }

    pub(super) fn names_node(&self) -> bool {
        self.imports.uses_node || self.mentions(&["'node:", "\"node:", "NodeJS."])
    }

    pub(super) fn mentions(&self, words: &[&str]) -> bool {
        let text = self.edited.original();
        words.iter().any(|word| text.contains(word))
    }

    /// Whether one of these names is in the text, as a whole word.
    pub(super) fn names(&self, names: &[&str]) -> bool {
        names_in(self.edited.original()).any(|name| names.contains(&name))
    }

    pub(super) fn value_at(&self, offset: usize) -> Option<&'static str> {
        self.values.iter().find(|(_, range)| range.contains(&offset)).map(|(name, _)| *name)
    }
}

/// The words of a source text that may be names.
pub(super) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '$'))
}

fn syntax_hint(code: u32, path: &Path) -> Option<String> {
    // "… can only be used in TypeScript files."
    if !(8000..9000).contains(&code) {
        return None;
    }
    let name = path.file_name()?.to_str()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let typescript = if ending == "mjs" { "mts" } else { "ts" };
    let typescript = if stem.ends_with(".lmt") { "ts" } else { typescript };
    Some(format!("types are for TypeScript: rename the file to {stem}.{typescript}, or write the type in a comment"))
}

fn identifier_end(text: &str, offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or_default();
    let word = rest.find(|character: char| !character.is_alphanumeric() && character != '_' && character != '$');
    match word.unwrap_or(rest.len()) {
        0 => offset + rest.chars().next().map_or(0, char::len_utf8),
        length => offset + length,
    }
}

fn finding(path: &Path, (start, end): (usize, usize), text: &str, code: &str, message: String) -> Finding {
    Finding {
        file: path.to_owned(),
        span: Some(span(text, &(start..end))),
        severity: Severity::Error,
        code: code.to_owned(),
        message,
        hint: None,
        fix: None,
        related: Vec::new(),
    }
}

fn broken_import(path: &Path, text: &str, range: &Range<usize>, problem: &ImportProblem) -> Finding {
    let specifier = text.get(range.start + 1..range.end - 1).unwrap_or_default();
    let (code, message) = match problem.is_missing {
        true => ("TS2307", format!("Cannot find module '{specifier}' or its corresponding type declarations.")),
        false => ("import", problem.message.clone()),
    };
    let found = finding(path, (range.start, range.end), text, code, message);
    Finding { hint: problem.hint.clone(), ..found }
}

pub(super) fn json_problem(path: &Path) -> Option<Finding> {
    let text = match read_module(path) {
        Ok(text) => text,
        Err(error) => return Some(Finding { span: None, ..finding(path, (0, 0), "", "import", error.message) }),
    };
    if let Err(error) = check_nesting(&text) {
        let place = crate::Position { line: error.line, column: error.column };
        let message = format!("'{}' is nested too deeply to be read", path.file_name().unwrap_or_default().display());
        let found = finding(path, (0, 0), "", "import", message);
        return Some(Finding { span: Some(Span { start: place, end: place }), ..found });
    }
    let InvalidJson { what, offset, .. } = InvalidJson::of(&text)?;
    let name = path.file_name().unwrap_or_default().display();
    let message = format!("'{name}' is not valid JSON: {what}");
    Some(finding(path, (offset, offset + 1), &text, "import", message))
}
