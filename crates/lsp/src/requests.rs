//! Requests and notifications of a running client.

use std::path::{Path, PathBuf};

use gen_lsp_types::{CodeActionParams, ErrorCodes, TextDocumentPositionParams, json_rpc::Id};
use lmthing_base::{cost::listed_models, parser::Language};
use lmthing_check::{Cancellation, CheckOptions};
use lmthing_node::THREAD_STACK_SIZE;
use lmthing_system::{files::is_prompt_file, threads::ThreadOptions};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    commands::{self, Job, Kind, Output},
    documents::Document,
    edits,
    hover::{self, CallInDocument},
    models::Models,
    server::{Event, Server},
    syntax::Syntax,
    tasks::Task,
    uris::{path_of, real, uri_of},
    workplace::Workplace,
};

/// The code of a request that the client has cancelled.
const CANCELLED: ErrorCodes = ErrorCodes::Custom(-32800);

/// Files that decide how others are read.
const SETTINGS: [&str; 3] = [".env", "package.json", "tsconfig.json"];

impl Server {
    pub(crate) fn request(&mut self, id: Id, method: &str, params: Value) {
        match method {
            "textDocument/hover" => self.with_position(id, params, Self::hover),
            "textDocument/completion" => self.with_position(id, params, Self::completion),
            "textDocument/codeAction" => self.code_action(id, params),
            "textDocument/codeLens" => {
                let document =
                    params.pointer("/textDocument/uri").and_then(Value::as_str).and_then(|uri| self.prompt(uri));
                let lenses = document.map(edits::lenses).unwrap_or_default();
                self.answer(id, Value::Array(lenses));
            }
            "workspace/executeCommand" => self.command(id, &params),
            _ => self.refuse(id, ErrorCodes::MethodNotFound, format!("the server does not know {method}")),
        }
    }

    pub(crate) fn notification(&mut self, method: &str, params: Value) {
        match method {
            "initialized" => self.initialized(),
            "textDocument/didOpen" => {
                let opened = serde_json::from_value(params).ok().and_then(|params| self.documents.open(params));
                self.changed(opened, true);
            }
            "textDocument/didChange" => {
                let changed = serde_json::from_value(params).ok().and_then(|params| self.documents.change(params));
                self.changed(changed, false);
            }
            "textDocument/didClose" => {
                let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).unwrap_or_default();
                if let Some(path) = self.documents.close(uri) {
                    self.closed(uri, &path);
                }
            }
            // Scripts that read files themselves see a saved text.
            "textDocument/didSave" => self.checks.renew_all(),
            "workspace/didChangeWatchedFiles" => self.files_changed(&params),
            "$/cancelRequest" => {
                let id = params.get("id").cloned().and_then(|id| serde_json::from_value(id).ok()).unwrap_or(Id::Null);
                if self.tasks.cancel(&id) {
                    self.refuse(id, CANCELLED, "the request was cancelled");
                }
            }
            _ => {}
        }
    }

    fn changed(&mut self, path: Option<PathBuf>, is_new: bool) {
        let Some(path) = path else { return };
        self.shown.forget(&path);
        if is_new && is_prompt_file(&path) {
            self.checks.add(&path);
        }
        self.checks.changed(&path);
    }

    fn closed(&mut self, uri: &str, path: &Path) {
        if self.documents.at(path).is_some() {
            self.publish(json!({ "uri": uri, "diagnostics": [] }));
            return self.changed(Some(path.to_owned()), false);
        }
        self.checks.remove(path);
        self.shown.forget(path);
        for params in self.shown.remove(path, &self.documents) {
            self.publish(params);
        }
        self.checks.changed(path);
    }

    fn files_changed(&mut self, params: &Value) {
        for change in params["changes"].as_array().into_iter().flatten() {
            let Some(path) = change["uri"].as_str().and_then(path_of) else { continue };
            let is_settings = SETTINGS.iter().any(|name| path.ends_with(name));
            match is_settings {
                true => self.checks.renew_all(),
                false => self.checks.changed(&real(&path)),
            }
        }
    }

    /// An open prompt file.
    fn prompt(&self, uri: &str) -> Option<&Document> {
        self.documents.get(uri).filter(|document| document.is_prompt())
    }

    /// Answers a request about a place in a document; `null` in one that is no open prompt file.
    fn with_position(&mut self, id: Id, params: Value, answer: fn(&mut Self, Id, &TextDocumentPositionParams)) {
        match parsed::<TextDocumentPositionParams>(params) {
            Ok(params) if self.prompt(&params.text_document.uri.0).is_none() => self.answer(id, Value::Null),
            Ok(params) => answer(self, id, &params),
            Err(why) => self.refuse(id, ErrorCodes::InvalidParams, why.0),
        }
    }

    fn hover(&mut self, id: Id, params: &TextDocumentPositionParams) {
        let Some(document) = self.prompt(&params.text_document.uri.0) else { return };
        let offset = document.text.offset(params.position);
        let language = Language::of_file(&document.path).unwrap_or(Language::JavaScript);
        let Some(syntax) = Syntax::of(document.text.as_str(), language) else { return self.answer(id, Value::Null) };
        let Some(call) = CallInDocument::at(document, &syntax, offset) else {
            let hover = hover::of_model(document, &syntax, offset, &self.models(&document.path));
            return self.answer(id, hover.unwrap_or_default());
        };
        let path = document.path.clone();
        let cancellation = Cancellation::default();
        let check = (self.options.check)(&self.client.directory_of(&path));
        let options = CheckOptions { locate: true, cancellation: cancellation.clone(), ..check };
        let (events, of_request) = (self.events.clone(), id.clone());
        let render = move || {
            let hover = hover::of_call(&path, &options, &call);
            // The server may have ended.
            let _ = events.send(Event::Hovered(of_request, hover));
        };
        match (ThreadOptions { name: "lmthing-hover", stack_size: THREAD_STACK_SIZE }.spawn(render)) {
            Ok(()) => self.tasks.add(id, Task::Hover(cancellation)),
            Err(error) => self.refuse(id, ErrorCodes::InternalError, format!("cannot start a thread: {error}")),
        }
    }

    fn models(&self, path: &Path) -> Models {
        let options = (self.options.check)(&self.client.directory_of(path));
        Models::new(options.variables)
    }

    fn completion(&mut self, id: Id, params: &TextDocumentPositionParams) {
        let Some(document) = self.prompt(&params.text_document.uri.0) else { return };
        let table = self.models.get_or_init(|| listed_models(&(self.options.today)()));
        let items = edits::completions(document, params.position, &self.models(&document.path), table);
        self.answer(id, json!({ "isIncomplete": false, "items": items }));
    }

    fn code_action(&mut self, id: Id, params: Value) {
        match parsed::<CodeActionParams>(params) {
            Ok(params) => {
                self.tasks.add(id, Task::Fixes(Box::new(params)));
            }
            Err(why) => self.refuse(id, ErrorCodes::InvalidParams, why.0),
        }
    }

    /// Answers the requests for quick fixes in documents whose present text is checked.
    pub(crate) fn answer_fixes(&mut self) {
        let (documents, checks) = (&self.documents, &self.checks);
        let ready = self.tasks.take_fixes(|params| {
            let document = documents.get(&params.text_document.uri.0);
            document.is_none_or(|document| checks.is_settled(&document.path))
        });
        for (id, params) in ready {
            let document = self.documents.get(&params.text_document.uri.0);
            let fixes = document.map(|document| {
                let found = self.shown.of_file(&document.path);
                edits::fixes(&found, document, &params, &self.documents)
            });
            self.answer(id, Value::Array(fixes.unwrap_or_default()));
        }
    }

    fn command(&mut self, id: Id, params: &Value) {
        let name = params["command"].as_str().unwrap_or_default();
        let Some(kind) = Kind::named(name) else {
            let known = Kind::names().join(", ");
            return self.refuse(
                id,
                ErrorCodes::InvalidParams,
                format!("there is no command {name:?}; there are {known}"),
            );
        };
        let arguments = &params["arguments"];
        let file = arguments[0].as_str().and_then(path_of).map(|path| real(&path));
        let Some(file) = file.filter(|file| is_prompt_file(file)) else {
            let why = format!("{name} takes the file: URI of a prompt file, got {}", arguments[0]);
            return self.refuse(id, ErrorCodes::InvalidParams, why);
        };
        let input = arguments[1].get("input").map(Value::to_string);
        let directory = self.client.directory_of(&file);
        let job = Job { program: self.options.program.clone(), kind, file, input, directory };
        if let Err(error) = self.start(id.clone(), job) {
            self.refuse(id, ErrorCodes::InternalError, format!("cannot start {name}: {error}"));
        }
    }

    fn start(&mut self, id: Id, job: Job) -> std::io::Result<()> {
        let number = self.next_number();
        if self.workplace.is_none() {
            self.workplace = Some(Workplace::new()?);
        }
        let Some(workplace) = &self.workplace else { return Ok(()) };
        let (events, of_request) = (self.events.clone(), id.clone());
        // The server may have ended.
        let done = move |output| drop(events.send(Event::Ran(of_request, Box::new(output))));
        let end = commands::start(job, number, workplace, done)?;
        self.tasks.add(id, Task::Command(end));
        Ok(())
    }

    /// Answers a command, unless it was cancelled.
    pub(crate) fn ran(&mut self, id: Id, output: &Output) {
        if !self.tasks.finish(&id) {
            return;
        }
        if let Some((path, is_external)) = &output.shown
            && let Some(uri) = uri_of(path)
        {
            match self.client.shows_documents {
                true => {
                    let params = json!({ "uri": uri, "external": is_external, "takeFocus": true });
                    self.ask("window/showDocument", params);
                }
                false => {
                    const INFO: u32 = 3;
                    let message = format!("lmthing wrote {}", path.display());
                    self.notify("window/showMessage", json!({ "type": INFO, "message": message }));
                }
            }
        }
        self.answer(id, output.to_json());
    }
}

/// Why the parameters of a request cannot be read.
struct WrongParams(String);

fn parsed<T: DeserializeOwned>(params: Value) -> Result<T, WrongParams> {
    serde_json::from_value(params).map_err(|error| WrongParams(format!("the parameters cannot be read: {error}")))
}
