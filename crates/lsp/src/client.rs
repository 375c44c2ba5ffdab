//! What the client can do, and what the server answers to it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{commands::Kind, uris::path_of};

#[derive(Default)]
pub(crate) struct Client {
    /// The folders of the workspace.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) process: Option<i32>,
    pub(crate) shows_documents: bool,
    pub(crate) can_watch_files: bool,
    /// The option `render`.
    pub(crate) is_rendering: bool,
}

impl Client {
    /// Reads the parameters of `initialize`. What is missing or has another form counts as not given.
    pub(crate) fn of(params: &Value) -> Self {
        let uri = |value: &Value| value.as_str().and_then(path_of);
        let folders = params["workspaceFolders"].as_array().into_iter().flatten().map(|folder| &folder["uri"]);
        let mut folders: Vec<PathBuf> = folders.filter_map(uri).collect();
        if folders.is_empty() {
            folders.extend(uri(&params["rootUri"]).or_else(|| params["rootPath"].as_str().map(PathBuf::from)));
        }
        let can = |path: &str| params.pointer(path).and_then(Value::as_bool).unwrap_or_default();
        Client {
            folders,
            process: params["processId"].as_i64().and_then(|id| i32::try_from(id).ok()),
            shows_documents: can("/capabilities/window/showDocument/support"),
            can_watch_files: can("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration"),
            is_rendering: params.pointer("/initializationOptions/render").and_then(Value::as_bool).unwrap_or(true),
        }
    }

    /// Where a file is run from: its folder of the workspace, else its own.
    pub(crate) fn directory_of(&self, file: &Path) -> PathBuf {
        let within = self.folders.iter().filter(|folder| file.starts_with(folder) && folder.is_dir());
        let own = || file.parent().filter(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
        within.max_by_key(|folder| folder.as_os_str().len()).map_or_else(|| own().to_owned(), Clone::clone)
    }
}

/// The result of `initialize`.
pub(crate) fn capabilities(version: &str) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
            "hoverProvider": true,
            "completionProvider": { "triggerCharacters": ["'", "\"", "`", ":"], "resolveProvider": false },
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            "codeLensProvider": { "resolveProvider": false },
            "executeCommandProvider": { "commands": Kind::names() },
        },
        "serverInfo": { "name": "lmthing", "version": version },
    })
}

/// The request that has the client report changes of files.
pub(crate) fn watch_request() -> Value {
    let watchers = json!([
        { "globPattern": "**/*.{mjs,js,cjs,ts,mts,cts,json}" },
        { "globPattern": "**/.env" },
    ]);
    json!({
        "registrations": [{
            "id": "lmthing-files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        }],
    })
}
