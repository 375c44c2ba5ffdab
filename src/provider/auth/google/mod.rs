//! OAuth tokens from Google's application default credentials.
//!
//! Owns: where credentials are looked for, what each type of them is traded for. Must not know: models.
//!
//! Why not `gcp_auth`: it cannot be pointed at another token server than the file's through our client, and brings a
//! second HTTP stack. What is left is one signed form post; the signature is `ring`'s, the client is the shared one.

mod assertion;
mod aws_subject;
mod command;
mod credentials;
mod exchange;
mod federated;
mod impersonation;
mod subject;

use std::rc::Rc;

use serde_json::Value;

use super::{
    ask::{Asker, NoAnswer, Server},
    kept::{Fetched, Kept, Places},
    key::bearer,
    request::AuthFailure,
};
use crate::provider::Env;
pub(super) use credentials::named_paths;
pub(in crate::provider) use credentials::token_servers;
use credentials::{find, text};

const METADATA: Server = Server { name: "The metadata server of Google Cloud", is_near: true };

/// What stands in the variables of this beginning may change the way to a token.
const PREFIXES: [&str; 4] = ["GOOGLE_", "CLOUDSDK_", "GCE_", "AWS_"];

thread_local! {
    static PLACES: Places<Granted> = Places::new();
}

/// Finds credentials and keeps the token they give.
pub(crate) struct GoogleAuth {
    asker: Asker,
    /// Credentials given by the script instead of a file.
    credentials: Option<Value>,
    kept: Rc<Kept<Granted>>,
}

/// A token, and who pays for its use.
#[derive(Clone)]
struct Granted {
    token: String,
    quota_project: Option<String>,
}

impl GoogleAuth {
    /// Looks in the environment's usual places, unless `credentials` (the content of a credentials file) is given.
    pub(crate) fn new(env: Rc<dyn Env>, credentials: Option<Value>) -> Self {
        let settings = credentials.as_ref().map(Value::to_string).unwrap_or_default();
        let kept = PLACES.with(|places| places.place(&*env, &PREFIXES, &settings));
        let asker = Asker::new(env, kept.secrets().clone());
        GoogleAuth { asker, credentials, kept }
    }

    pub(super) fn has_credentials(&self) -> bool {
        self.credentials.is_some()
    }

    /// A token that is good for a while, and the project that is charged if it is not the token's own.
    pub(super) async fn headers(&self) -> Result<Vec<(String, String)>, AuthFailure> {
        let granted = self.kept.get(|| self.fetch()).await?;
        let project = self.asker.variable("GOOGLE_CLOUD_QUOTA_PROJECT").or(granted.quota_project);
        let project = project.map(|project| ("x-goog-user-project".to_owned(), project));
        Ok(std::iter::once(bearer(&granted.token)).chain(project).collect())
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        self.kept.secrets().all()
    }

    async fn fetch(&self) -> Result<Fetched<Granted>, AuthFailure> {
        let credentials = find(&self.asker, self.credentials.as_ref())?;
        let token = match &credentials {
            Some(credentials) => exchange::exchange(&self.asker, credentials).await?,
            None => metadata(&self.asker).await?,
        };
        let quota_project = credentials.as_ref().and_then(|credentials| text(credentials, "quota_project_id"));
        Ok(token.map(|token| Granted { token, quota_project }))
    }
}

/// The project that credentials belong to, where they say so.
pub(crate) fn project(env: &Rc<dyn Env>, credentials: Option<&Value>) -> Option<String> {
    let asker = Asker::new(env.clone(), Default::default());
    text(&find(&asker, credentials).ok()??, "project_id")
}

/// Whether there is a credentials file, and a project to use it for. Other machines than Google's have no more.
pub(in crate::provider::auth) fn is_set_up(env: &Rc<dyn Env>) -> bool {
    let asker = Asker::new(env.clone(), Default::default());
    let has_project = |credentials: &Value| {
        asker.variable("GOOGLE_CLOUD_PROJECT").or_else(|| text(credentials, "project_id")).is_some()
    };
    find(&asker, None).ok().flatten().as_ref().is_some_and(has_project)
}

/// On Google's own machines a server hands out tokens.
async fn metadata(asker: &Asker) -> Result<Fetched<String>, AuthFailure> {
    let host = asker.variable("GCE_METADATA_HOST");
    let is_named = host.is_some();
    // The fixed address of the server, as its name may not resolve outside Google's network.
    let host = host.unwrap_or_else(|| "169.254.169.254".to_owned());
    let url = format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token");
    let answer = asker.ask(METADATA, |client| client.get(&url).header("metadata-flavor", "Google")).await;
    match answer {
        // Another cloud's machines have a server there too, which knows no such path.
        Err(NoAnswer::Refused { .. }) if !is_named => Err(not_found()),
        Err(NoAnswer::Unreachable(_)) if !is_named => Err(not_found()),
        answer => asker.token(METADATA, answer),
    }
}

fn not_found() -> AuthFailure {
    AuthFailure::refused(
        "Could not load the default credentials. Browse to \
         https://cloud.google.com/docs/authentication/getting-started for more information.",
    )
    .with_hint(
        "Set GOOGLE_APPLICATION_CREDENTIALS to a credentials file (service account, workload identity), run gcloud auth \
         application-default login, or run on a machine of Google Cloud. Or set GOOGLE_VERTEX_API_KEY.",
    )
}
