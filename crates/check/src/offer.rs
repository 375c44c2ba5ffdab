//! Loading a file to see what it offers. Must not know who wants to know.

use std::{path::Path, rc::Rc, time::Duration};

use super::inspection::{argv, doors_of_nobody};
use lmthing_base::{diagnostic::Diagnostic, permission::Permissions};
use lmthing_engine::{
    bindings::{
        ModelChoice,
        inspect::{Fault, NoModels, Offer, offer_of_file},
    },
    session::{Program, ProgramOptions},
};
use lmthing_node::ScriptHost;
use lmthing_providers::Redactor;

/// How a file is loaded.
pub struct OfferOptions {
    /// Where its output goes.
    pub host: Rc<dyn ScriptHost>,
    /// `process.env`, and where keys and aliases are looked up.
    pub variables: Vec<(String, String)>,
    /// Knows the secrets among them.
    pub redactor: Redactor,
    /// What the file may reach.
    pub permissions: Permissions,
    /// The model in place of its own.
    pub model: Option<ModelChoice>,
    /// How long it may take.
    pub limit: Duration,
}

/// What a prompt file offers. Afterwards the process ends: the engine is left to the system.
///
/// # Errors
/// Why it could not be called.
pub async fn offer(path: &Path, options: OfferOptions) -> Result<Offer, Diagnostic> {
    let silence = Rc::new(NoModels::default());
    let doors = doors_of_nobody(silence, &options.variables, &options.redactor);
    let program = ProgramOptions {
        argv: argv(path),
        env: options.variables,
        permissions: options.permissions,
        ..ProgramOptions::new(options.host, doors)
    };
    let program = Program::load(path, program).await.map_err(Diagnostic::new)?;
    let offer = offer_of_file(program.engine(), path, options.model.as_ref(), options.limit).await;
    program.abandon();
    offer.map_err(|Fault { message, hint, location, .. }| Diagnostic {
        message: options.redactor.apply(&message),
        hint: hint.map(|hint| options.redactor.apply(&hint)),
        location,
        ..Diagnostic::default()
    })
}
