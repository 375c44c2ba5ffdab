//! Tokens of Microsoft Entra ID for Azure OpenAI, from the same sources and in the same order as in Microsoft's
//! libraries: service principal or federated workload, then the managed identity of the machine.

use std::rc::Rc;

use reqwest::{Client, RequestBuilder};

use super::{
    credential_cache::{Caches, CredentialCache, Expiring},
    request::AuthFailure,
    sources::CredentialFile,
    token_client::{Server, TokenClient, TokenRequestError, post_form},
};
use crate::{Env, ProviderErrorKind};

const ENTRA: Server = Server { name: "Microsoft Entra ID", is_local: false };
const MANAGED_IDENTITY: Server = Server { name: "The managed identity endpoint of Azure", is_local: true };
const AUTHORITY: &str = "https://login.microsoftonline.com";
const INSTANCE_METADATA: &str = "http://169.254.169.254";
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

const TOKEN_VARIABLES: [&str; 3] = ["AZURE_OPENAI_AD_TOKEN", "AZURE_AD_TOKEN", "AZURE_ACCESS_TOKEN"];

thread_local! {
    static CACHES: Caches<String> = Caches::new();
}

pub struct AzureAuth {
    tokens: TokenClient,
    given: Option<String>,
    cache: Rc<CredentialCache<String>>,
}

impl AzureAuth {
    pub fn new(env: Rc<dyn Env>, given: Option<String>) -> Self {
        let cache = CACHES.with(|caches| caches.cache_for(&*env, &["AZURE_", "IDENTITY_", "MSI_"], ""));
        let tokens = TokenClient::new(env, cache.secrets().clone());
        let in_variables = || TOKEN_VARIABLES.iter().find_map(|name| tokens.variable(name));
        let given = given.filter(|token| !token.trim().is_empty()).or_else(in_variables);
        // A token that was copied from a terminal may end in a line break.
        AzureAuth { given: given.map(|token| token.trim().to_owned()), tokens, cache }
    }

    pub(super) fn has_token(&self) -> bool {
        self.given.is_some()
    }

    pub(super) async fn token(&self) -> Result<String, AuthFailure> {
        match &self.given {
            Some(token) => Ok(token.clone()),
            None => self.cache.get(|| self.fetch()).await,
        }
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        let mut secrets = self.cache.secrets().all();
        secrets.extend(self.given.clone());
        let variables = ["AZURE_CLIENT_SECRET", "IDENTITY_HEADER", "MSI_SECRET"];
        secrets.extend(variables.iter().filter_map(|name| self.tokens.variable(name)));
        secrets
    }

    pub(super) fn key_variable(&self) -> &'static str {
        if self.given.is_some() { TOKEN_VARIABLES[0] } else { "AZURE_CLIENT_ID" }
    }

    async fn fetch(&self) -> Result<Expiring<String>, AuthFailure> {
        let tokens = &self.tokens;
        let variable = |name: &str| tokens.variable(name);
        let secret = variable("AZURE_CLIENT_SECRET");
        let file = CredentialFile::find(tokens.env(), "AZURE_FEDERATED_TOKEN_FILE");
        if secret.is_none() && file.is_none() {
            return self.managed_identity_token().await;
        }
        let proof_variable = if secret.is_some() { "AZURE_CLIENT_SECRET" } else { "AZURE_FEDERATED_TOKEN_FILE" };
        let needed = |name: &str| {
            let message = format!("{proof_variable} is set, but {name} is not: Entra ID needs both for a token.");
            variable(name).ok_or_else(|| AuthFailure::configuration(message))
        };
        let (tenant, client_id) = (needed("AZURE_TENANT_ID")?, needed("AZURE_CLIENT_ID")?);
        let proof = match (secret, file) {
            // Read again for every token: the file's content is short-lived and replaced in place.
            (None, Some(file)) => {
                let assertion = file.required_text(proof_variable).await?;
                let assertion = tokens.secrets().add(assertion.trim()).to_owned();
                vec![("client_assertion_type", ASSERTION_TYPE.to_owned()), ("client_assertion", assertion)]
            }
            (secret, _) => vec![("client_secret", tokens.secrets().add(secret.unwrap_or_default()))],
        };
        let authority = variable("AZURE_AUTHORITY_HOST").unwrap_or_else(|| AUTHORITY.to_owned());
        let authority = with_scheme(authority.trim_end_matches('/'));
        let scope = format!("{}/.default", resource(&authority));
        let url = format!("{authority}/{tenant}/oauth2/v2.0/token");
        let mut fields =
            vec![("client_id", client_id.as_str()), ("scope", &scope), ("grant_type", "client_credentials")];
        fields.extend(proof.iter().map(|(name, value)| (*name, value.as_str())));
        let answer = tokens.send(ENTRA, |client| post_form(client, &url, &fields)).await;
        tokens.token(ENTRA, answer).map_err(|failure| match failure.kind {
            ProviderErrorKind::Authentication => {
                failure.with_hint(format!("Check AZURE_TENANT_ID, AZURE_CLIENT_ID and {proof_variable}."))
            }
            _ => failure,
        })
    }

    async fn managed_identity_token(&self) -> Result<Expiring<String>, AuthFailure> {
        let tokens = &self.tokens;
        let authority = tokens.variable("AZURE_AUTHORITY_HOST").unwrap_or_default();
        let (resource, client_id) = (resource(&authority), tokens.variable("AZURE_CLIENT_ID"));
        let endpoint = Endpoint::find(tokens);
        let request = |client: &Client| endpoint.request(client, resource, client_id.as_deref());
        let server = Server { is_local: !endpoint.url.starts_with("https:"), ..MANAGED_IDENTITY };
        let answer = tokens.send(server, request).await;
        match answer {
            // The machine has no identity or belongs to another cloud, so the error lists all ways to authenticate.
            Err(error) if !endpoint.is_named => Err(no_credentials(error)),
            answer => tokens.token(server, answer),
        }
    }
}

pub(super) fn is_set_up(env: &dyn Env) -> bool {
    let set = |name: &str| env.get(name).is_some_and(|value| !value.is_empty());
    let principal = ["AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE"].iter().any(|name| set(name))
        && set("AZURE_TENANT_ID")
        && set("AZURE_CLIENT_ID");
    let machine = ["IDENTITY_ENDPOINT", "MSI_ENDPOINT", "AZURE_POD_IDENTITY_AUTHORITY_HOST"];
    let has_address = set("AZURE_RESOURCE_NAME") || set("AZURE_BASE_URL");
    has_address && (principal || TOKEN_VARIABLES.iter().chain(&machine).any(|name| set(name)))
}

struct Endpoint {
    url: String,
    header: (&'static str, String),
    client_id: &'static str,
    version: Option<&'static str>,
    is_named: bool,
}

impl Endpoint {
    fn find(tokens: &TokenClient) -> Endpoint {
        let variable = |name: &str| tokens.variable(name);
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
        let mut query = format!("api-version={version}&{}", super::token_client::form(&[("resource", resource)]));
        if let Some(id) = client_id {
            query.push_str(&format!("&{}", super::token_client::form(&[(self.client_id, id)])));
        }
        let joint = if self.url.contains('?') { '&' } else { '?' };
        client.get(format!("{}{joint}{query}", self.url)).header(name, value)
    }
}

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

fn no_credentials(error: TokenRequestError) -> AuthFailure {
    let detail = match error {
        TokenRequestError::Refused { message, .. } if !message.is_empty() => format!(" The machine says: {message}"),
        _ => String::new(),
    };
    AuthFailure::configuration(format!(
        "Azure OpenAI API key is missing. Pass it using the 'apiKey' parameter or the AZURE_API_KEY environment variable. \
         Without a key, Entra ID can give a token: set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET (a service \
         principal) or AZURE_FEDERATED_TOKEN_FILE (a federated workload), run on a machine with a managed identity (there is \
         none here), or set AZURE_OPENAI_AD_TOKEN to a token.{detail}",
    ))
    .with_hint(
        "A token of yours: az account get-access-token --resource https://cognitiveservices.azure.com --query accessToken \
         --output tsv",
    )
}
