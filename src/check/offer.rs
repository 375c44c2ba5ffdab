//! Loading a file to see what it offers. Must not know who wants to know.

use std::{path::Path, rc::Rc, time::Duration};

use super::inspection::{argv, doors_of_nobody};
use crate::{
    diagnostic::Diagnostic,
    permission::Permissions,
    provider::Redactor,
    script::{
        Engine, EngineOptions, SCRIPT_STACK_SIZE, ScriptHost,
        bindings::{
            self, ModelChoice,
            inspect::{Fault, Offer, Silence, offer_of_file},
        },
    },
};

/// How a file is loaded.
pub(crate) struct OfferOptions {
    /// Where its output goes.
    pub(crate) host: Rc<dyn ScriptHost>,
    /// `process.env`, and where keys and aliases are looked up.
    pub(crate) variables: Vec<(String, String)>,
    /// Knows the secrets among them.
    pub(crate) redactor: Redactor,
    /// What the file may reach.
    pub(crate) permissions: Permissions,
    /// The model in place of its own.
    pub(crate) model: Option<ModelChoice>,
    /// How long it may take.
    pub(crate) limit: Duration,
}

/// What a prompt file offers. Afterwards the process ends: the engine is left to the system.
///
/// # Errors
/// Why it could not be called.
pub(crate) async fn offer(path: &Path, options: OfferOptions) -> Result<Offer, Diagnostic> {
    let silence = Rc::new(Silence::default());
    let doors = doors_of_nobody(silence, &options.variables, &options.redactor);
    let engine = Engine::new(EngineOptions {
        native_modules: bindings::NATIVE_MODULES.to_vec(),
        argv: argv(path),
        env: options.variables,
        permissions: options.permissions,
        max_stack_size: SCRIPT_STACK_SIZE,
        ..EngineOptions::new(options.host)
    });
    let failed = |what: &str, why: String| Diagnostic::new(format!("cannot {what}: {why}"));
    let engine = engine.await.map_err(|error| failed("start the JavaScript engine", error.to_string()))?;
    let installed = engine.context().with(|ctx| bindings::install(&ctx, doors)).await;
    installed.map_err(|error| failed("install lmthing's bindings", error.to_string()))?;
    let offer = offer_of_file(&engine, path, options.model.as_ref(), options.limit).await;
    engine.abandon();
    offer.map_err(|Fault { message, hint, location, .. }| Diagnostic {
        message: options.redactor.apply(&message),
        hint: hint.map(|hint| options.redactor.apply(&hint)),
        location,
        ..Diagnostic::default()
    })
}
