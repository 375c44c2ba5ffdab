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
}

impl Document {
    pub(crate) fn is_prompt(&self) -> bool {
        is_prompt_file(&self.path)
    }
}

#[derive(Default)]
pub(crate) struct Documents(HashMap<String, Document>);

impl Documents {
    /// Adds a document. Returns its path, unless it is no file.
    pub(crate) fn open(&mut self, params: DidOpenTextDocumentParams) -> Option<PathBuf> {
        let opened = params.text_document;
        let uri = opened.uri.0;
        let path = real(&path_of(&uri)?);
        let document = Document { uri: uri.clone(), path, version: opened.version, text: Text::new(opened.text) };
        let path = document.path.clone();
        set_unsaved_text(&path, Some(document.text.as_str().into()));
        self.0.insert(uri, document);
        Some(path)
    }

    /// Applies changes to a document and returns its path.
    pub(crate) fn change(&mut self, params: DidChangeTextDocumentParams) -> Option<PathBuf> {
        let document = self.0.get_mut(&params.text_document.text_document_identifier.uri.0)?;
        document.version = params.text_document.version;
        params.content_changes.into_iter().for_each(|change| document.text.apply(change));
        set_unsaved_text(&document.path, Some(document.text.as_str().into()));
        Some(document.path.clone())
    }

    /// Removes a document: its file counts again.
    pub(crate) fn close(&mut self, uri: &str) -> Option<PathBuf> {
        let path = self.0.remove(uri)?.path;
        set_unsaved_text(&path, None);
        Some(path)
    }

    pub(crate) fn get(&self, uri: &str) -> Option<&Document> {
        self.0.get(uri)
    }

    pub(crate) fn at(&self, path: &Path) -> Option<&Document> {
        self.0.values().find(|document| document.path == path)
    }
}
