//! The open documents. Their texts stand for their files in checks and runs, whether they are prompt files or not.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use gen_lsp_types::{DidChangeTextDocumentParams, DidOpenTextDocumentParams};
use lmthing_system::files::{is_prompt_file, set_unsaved_text};

use super::{
    text::Text,
    uris::{path_of, real},
};

pub(crate) struct Document {
    /// As the client writes it.
    pub(crate) uri: String,
    /// The real path of its file.
    pub(crate) path: PathBuf,
    pub(crate) version: i32,
    pub(crate) text: Text,
    /// A number that grows with each change of any document.
    last_change: u64,
}

impl Document {
    pub(crate) fn is_prompt(&self) -> bool {
        is_prompt_file(&self.path)
    }
}

#[derive(Default)]
pub(crate) struct Documents {
    by_uri: HashMap<String, Document>,
    changes: u64,
}

impl Documents {
    /// Adds a document. Returns its path, unless it is no file.
    pub(crate) fn open(&mut self, params: DidOpenTextDocumentParams) -> Option<PathBuf> {
        let opened = params.text_document;
        let uri = opened.uri.0;
        let path = real(&path_of(&uri)?);
        let text = Text::new(opened.text);
        let document = Document { uri: uri.clone(), path, version: opened.version, text, last_change: 0 };
        self.by_uri.insert(uri.clone(), document);
        self.changed(&uri)
    }

    /// Applies changes to a document and returns its path.
    pub(crate) fn change(&mut self, params: DidChangeTextDocumentParams) -> Option<PathBuf> {
        let identifier = params.text_document;
        let uri = identifier.text_document_identifier.uri.0;
        let document = self.by_uri.get_mut(&uri)?;
        document.version = identifier.version;
        params.content_changes.into_iter().for_each(|change| document.text.apply(change));
        self.changed(&uri)
    }

    fn changed(&mut self, uri: &str) -> Option<PathBuf> {
        self.changes += 1;
        let document = self.by_uri.get_mut(uri)?;
        document.last_change = self.changes;
        set_unsaved_text(&document.path, Some(document.text.as_str().into()));
        Some(document.path.clone())
    }

    /// Removes a document: its file counts again, or another document of the file. Returns its path.
    pub(crate) fn close(&mut self, uri: &str) -> Option<PathBuf> {
        let path = self.by_uri.remove(uri)?.path;
        set_unsaved_text(&path, self.at(&path).map(|document| document.text.as_str().into()));
        Some(path)
    }

    pub(crate) fn get(&self, uri: &str) -> Option<&Document> {
        self.by_uri.get(uri)
    }

    /// The document of a file. Of several, as links are, the text that was changed last counts.
    pub(crate) fn at(&self, path: &Path) -> Option<&Document> {
        self.all_at(path).max_by_key(|document| document.last_change)
    }

    pub(crate) fn all_at(&self, path: &Path) -> impl Iterator<Item = &Document> {
        self.by_uri.values().filter(move |document| document.path == path)
    }
}
