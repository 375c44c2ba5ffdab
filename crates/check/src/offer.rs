//! Loads a file to describe what it offers to callers, such as its input schema.

use std::{path::Path, rc::Rc, time::Duration};

use super::inspection::{argv, services_without_models};
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

pub struct OfferOptions {
    /// Where the output of the file goes.
    pub host: Rc<dyn ScriptHost>,
    /// `process.env`; API keys and model aliases are read from it as well.
    pub variables: Vec<(String, String)>,
    /// Knows the secrets among the variables.
    pub redactor: Redactor,
    pub permissions: Permissions,
    /// Replaces the model of the file.
    pub model: Option<ModelChoice>,
    /// How long loading may take.
    pub limit: Duration,
}

/// Returns what a prompt file offers. The engine is not freed, as the process ends afterwards.
///
/// # Errors
/// The file cannot be called.
pub async fn offer(path: &Path, options: OfferOptions) -> Result<Offer, Diagnostic> {
    let services = services_without_models(Rc::new(NoModels::default()), &options.variables, &options.redactor);
    let program = ProgramOptions {
        argv: argv(path),
        env: options.variables,
        permissions: options.permissions,
        ..ProgramOptions::new(options.host, services)
    };
    let program = Program::load(path, program).await.map_err(|error| Diagnostic::new(error.to_string()))?;
    let offer = offer_of_file(program.engine(), path, options.model.as_ref(), options.limit).await;
    program.abandon();
    offer.map_err(|Fault { message, hint, location, .. }| Diagnostic {
        message: options.redactor.apply(&message),
        hint: hint.map(|hint| options.redactor.apply(&hint)),
        location,
        ..Diagnostic::default()
    })
}
