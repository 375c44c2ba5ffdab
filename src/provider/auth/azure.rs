//! Tokens of Microsoft Entra ID, for Azure OpenAI without a key.
//!
//! Owns: where a token comes from, in the order of Microsoft's own libraries: the variables of a service principal or of a
//! federated workload, then the identity that the machine has. Must not know: models.

use std::rc::Rc;

use reqwest::{Client, RequestBuilder};

use super::{
    ask::{Asker, NoAnswer, Server, post_form},
    kept::{Fetched, Kept, Places},
    request::AuthFailure,
    sources::KeyFile,
};
use crate::provider::{Env, ProviderErrorKind};

const ENTRA: Server = Server { name: "Microsoft Entra ID", is_near: false };
const MACHINE: Server = Server { name: "The managed identity endpoint of Azure", is_near: true };
const AUTHORITY: &str = "https://login.microsoftonline.com";
/// Where a virtual machine asks for the token of its identity.
const INSTANCE_METADATA: &str = "http://169.254.169.254";
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Variables that hold a token, as the SDK of OpenAI and other programs call it.
const TOKEN_VARIABLES: [&str; 3] = ["AZURE_OPENAI_AD_TOKEN", "AZURE_AD_TOKEN", "AZURE_ACCESS_TOKEN"];

thread_local! {
    static PLACES: Places<String> = Places::new();
}

/// Finds a way to a token and keeps the token.
pub(crate) struct AzureAuth {
    asker: Asker,
    /// A token given by the script or a variable; nobody but its owner knows when it expires.
    given: Option<String>,
    kept: Rc<Kept<String>>,
}

impl AzureAuth {
    /// Uses `given` if there is one, else looks in the environment.
    pub(crate) fn new(env: Rc<dyn Env>, given: Option<String>) -> Self {
        let kept = PLACES.with(|places| places.place(&*env, &["AZURE_", "IDENTITY_", "MSI_"], ""));
        let asker = Asker::new(env, kept.secrets().clone());
        let in_variables = || TOKEN_VARIABLES.iter().find_map(|name| asker.variable(name));
        let given = given.filter(|token| !token.trim().is_empty()).or_else(in_variables);
        // Copied from a terminal, a token may end in a line break.
        AzureAuth { given: given.map(|token| token.trim().to_owned()), asker, kept }
    }

    pub(super) fn has_token(&self) -> bool {
        self.given.is_some()
    }

    pub(super) async fn token(&self) -> Result<String, AuthFailure> {
        match &self.given {
            Some(token) => Ok(token.clone()),
            None => self.kept.get(|| self.fetch()).await,
        }
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        let mut secrets = self.kept.secrets().all();
        secrets.extend(self.given.clone());
        let variables = ["AZURE_CLIENT_SECRET", "IDENTITY_HEADER", "MSI_SECRET"];
        secrets.extend(variables.iter().filter_map(|name| self.asker.variable(name)));
        secrets
    }

    pub(super) fn key_variable(&self) -> &'static str {
        if self.given.is_some() { TOKEN_VARIABLES[0] } else { "AZURE_CLIENT_ID" }
    }

    async fn fetch(&self) -> Result<Fetched<String>, AuthFailure> {
        let asker = &self.asker;
        let variable = |name: &str| asker.variable(name);
        let secret = variable("AZURE_CLIENT_SECRET");
        let file = KeyFile::find(asker.env(), "AZURE_FEDERATED_TOKEN_FILE");
        if secret.is_none() && file.is_none() {
            return self.of_the_machine().await;
        }
        let because = if secret.is_some() { "AZURE_CLIENT_SECRET" } else { "AZURE_FEDERATED_TOKEN_FILE" };
        let needed = |name: &str| {
            let message = format!("{because} is set, but {name} is not: Entra ID needs both for a token.");
            variable(name).ok_or_else(|| AuthFailure::configuration(message))
        };
        let (tenant, client_id) = (needed("AZURE_TENANT_ID")?, needed("AZURE_CLIENT_ID")?);
        let proof = match (secret, file) {
            // Read again each time: the file's token is short-lived and replaced in place.
            (None, Some(file)) => {
                let assertion = file.needed(because).await?;
                let assertion = asker.secrets().note(assertion.trim()).to_owned();
                vec![("client_assertion_type", ASSERTION_TYPE.to_owned()), ("client_assertion", assertion)]
            }
            (secret, _) => vec![("client_secret", asker.secrets().note(secret.unwrap_or_default()))],
        };
        let authority = variable("AZURE_AUTHORITY_HOST").unwrap_or_else(|| AUTHORITY.to_owned());
        let authority = with_scheme(authority.trim_end_matches('/'));
        let scope = format!("{}/.default", resource(&authority));
        let url = format!("{authority}/{tenant}/oauth2/v2.0/token");
        let mut fields =
            vec![("client_id", client_id.as_str()), ("scope", &scope), ("grant_type", "client_credentials")];
        fields.extend(proof.iter().map(|(name, value)| (*name, value.as_str())));
        let answer = asker.ask(ENTRA, |client| post_form(client, &url, &fields)).await;
        asker.token(ENTRA, answer).map_err(|failure| match failure.kind {
            ProviderErrorKind::Authentication => {
                failure.with_hint(format!("Check AZURE_TENANT_ID, AZURE_CLIENT_ID and {because}."))
            }
            _ => failure,
        })
    }

    /// The token of a managed identity: of an app service, of Cloud Shell, else of a virtual machine.
    async fn of_the_machine(&self) -> Result<Fetched<String>, AuthFailure> {
        let asker = &self.asker;
        let authority = asker.variable("AZURE_AUTHORITY_HOST").unwrap_or_default();
        let (resource, client_id) = (resource(&authority), asker.variable("AZURE_CLIENT_ID"));
        let endpoint = Endpoint::find(asker);
        let request = |client: &Client| endpoint.request(client, resource, client_id.as_deref());
        let server = Server { is_near: !endpoint.url.starts_with("https:"), ..MACHINE };
        let answer = asker.ask(server, request).await;
        match answer {
            // A machine without an identity, or of another cloud: whoever has set up nothing needs to hear of all the ways.
            Err(no_answer) if !endpoint.is_named => Err(nothing_found(no_answer)),
            answer => asker.token(server, answer),
        }
    }
}

/// Whether the environment says where a token comes from. The identity of a virtual machine shows when it is asked for.
pub(super) fn is_set_up(env: &dyn Env) -> bool {
    let set = |name: &str| env.get(name).is_some_and(|value| !value.is_empty());
    let principal = ["AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE"].iter().any(|name| set(name))
        && set("AZURE_TENANT_ID")
        && set("AZURE_CLIENT_ID");
    let machine = ["IDENTITY_ENDPOINT", "MSI_ENDPOINT", "AZURE_POD_IDENTITY_AUTHORITY_HOST"];
    let has_address = set("AZURE_RESOURCE_NAME") || set("AZURE_BASE_URL");
    has_address && (principal || TOKEN_VARIABLES.iter().chain(&machine).any(|name| set(name)))
}

/// Where the machine hands out tokens, and what it wants to be told.
struct Endpoint {
    url: String,
    /// Header, and name of the parameter for a user-assigned identity.
    header: (&'static str, String),
    client_id: &'static str,
    version: Option<&'static str>,
    /// A variable names it, so that it has to be there.
    is_named: bool,
}

impl Endpoint {
    fn find(asker: &Asker) -> Endpoint {
        let variable = |name: &str| asker.variable(name);
        if let (Some(url), Some(header)) = (variable("IDENTITY_ENDPOINT"), variable("IDENTITY_HEADER")) {
            let (header, version) = (("x-identity-header", header), Some("2019-08-01"));
            return Endpoint { url, header, client_id: "client_id", version, is_named: true };
        }
        if let Some(url) = variable("MSI_ENDPOINT") {
            let (header, version) = match variable("MSI_SECRET") {
                Some(secret) => (("secret", secret), Some("2017-09-01")),
                // Cloud Shell takes a form.
                None => (("metadata", "true".to_owned()), None),
            };
            return Endpoint { url, header, client_id: "clientid", version, is_named: true };
        }
        let host = variable("AZURE_POD_IDENTITY_AUTHORITY_HOST");
        let is_named = host.is_some();
        let host = with_scheme_or(&host.unwrap_or_else(|| INSTANCE_METADATA.to_owned()), "http");
        let url = format!("{}/metadata/identity/oauth2/token", host.trim_end_matches('/'));
        let (header, version) = (("metadata", "true".to_owned()), Some("2018-02-01"));
        Endpoint { url, header, client_id: "client_id", version, is_named }
    }

    fn request(&self, client: &Client, resource: &str, client_id: Option<&str>) -> RequestBuilder {
        let (name, value) = (self.header.0, self.header.1.as_str());
        let Some(version) = self.version else {
            return post_form(client, &self.url, &[("resource", resource)]).header(name, value);
        };
        let mut query = format!("api-version={version}&{}", super::ask::form(&[("resource", resource)]));
        if let Some(id) = client_id {
            query.push_str(&format!("&{}", super::ask::form(&[(self.client_id, id)])));
        }
        let joint = if self.url.contains('?') { '&' } else { '?' };
        client.get(format!("{}{joint}{query}", self.url)).header(name, value)
    }
}

/// What a token is for; the national clouds have services of their own.
fn resource(authority: &str) -> &'static str {
    let host = authority.trim_start_matches("https://").trim_end_matches('/');
    if host.ends_with(".us") {
        "https://cognitiveservices.azure.us"
    } else if host.ends_with(".cn") {
        "https://cognitiveservices.azure.cn"
    } else {
        "https://cognitiveservices.azure.com"
    }
}

fn with_scheme(address: &str) -> String {
    with_scheme_or(address, "https")
}

fn with_scheme_or(address: &str, scheme: &str) -> String {
    if address.contains("://") { address.to_owned() } else { format!("{scheme}://{address}") }
}

fn nothing_found(no_answer: NoAnswer) -> AuthFailure {
    let says = match no_answer {
        NoAnswer::Refused { words, .. } if !words.is_empty() => format!(" The machine says: {words}"),
        _ => String::new(),
    };
    AuthFailure::configuration(format!(
        "Azure OpenAI API key is missing. Pass it using the 'apiKey' parameter or the AZURE_API_KEY environment variable. \
         Without a key, Entra ID can give a token: set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET (a service \
         principal) or AZURE_FEDERATED_TOKEN_FILE (a federated workload), run on a machine with a managed identity (there is \
         none here), or set AZURE_OPENAI_AD_TOKEN to a token.{says}",
    ))
    .with_hint(
        "A token of yours: az account get-access-token --resource https://cognitiveservices.azure.com --query accessToken \
         --output tsv",
    )
}
