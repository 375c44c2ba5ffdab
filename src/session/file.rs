//! One prompt file from engine to outcome: where the doors between `script` and the step loop are put in. Must not know
//! where output goes.

use std::{collections::BTreeMap, path::Path, rc::Rc};

use crate::{
    diagnostic::Diagnostic,
    prompt::{Listener, RunError},
    provider::{ProviderContext, ProviderEvent, Redactor},
    script::{
        Engine, EngineOptions, ScriptHost,
        bindings::{self, Doors, Exchanges, FileRun},
    },
};

use super::{endings::Endings, step_loop::Session};

/// What a run of a file needs from the program around it.
pub(crate) struct FileRunOptions {
    /// Where the script's output goes.
    pub host: Rc<dyn ScriptHost>,
    /// Gets every part of the file's own run as it happens.
    pub listener: Listener,
    /// Told when a provider is waited for, or another one takes its place.
    pub on_provider_event: Rc<dyn Fn(&ProviderEvent)>,
    /// `process.argv`.
    pub argv: Vec<String>,
    /// `process.env`, and where keys and aliases are looked up.
    pub variables: Vec<(String, String)>,
    /// Whether models answer or a recording does.
    pub exchanges: Exchanges,
    /// Knows the secrets of the run.
    pub redactor: Redactor,
    /// Bytes of stack for scripts.
    pub max_stack_size: usize,
}

/// Runs a prompt file to its end.
pub(crate) async fn run_file(path: &Path, options: FileRunOptions) -> FileRun {
    let variables: BTreeMap<String, String> = options.variables.iter().cloned().collect();
    let on_event = options.on_provider_event;
    let providers = ProviderContext::redacting(Rc::new(variables), options.redactor.clone());
    let providers = providers.on_event(move |event| on_event(event));
    let host = options.host.clone();
    let endings = Endings::new(move |line| host.write_stderr(&format!("Warning: {line}\n")));
    let doors = Doors { step_loop: Rc::new(Session { endings }), providers, exchanges: options.exchanges };
    let engine = Engine::new(EngineOptions {
        native_modules: bindings::NATIVE_MODULES.to_vec(),
        argv: options.argv,
        env: options.variables,
        max_stack_size: options.max_stack_size,
        ..EngineOptions::new(options.host)
    });
    let engine = match engine.await {
        Ok(engine) => engine,
        Err(error) => return failed(format!("cannot start the JavaScript engine: {error}")),
    };
    let installed = engine.context().with(|ctx| bindings::install(&ctx, doors)).await;
    let end = match installed {
        Ok(()) => bindings::run_file(&engine, path, options.listener).await,
        Err(error) => failed(format!("cannot install lmthing's bindings: {error}")),
    };
    // The process ends next: taking the engine apart value by value would only cost time.
    engine.abandon();
    end
}

fn failed(message: String) -> FileRun {
    FileRun::Failed(Rc::new(RunError::from(Diagnostic::new(message))))
}
