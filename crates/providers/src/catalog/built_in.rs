//! The table of built-in providers. A new one needs a row here, and a wire format in `wire` if it has its own.

use reqwest::Url;

use super::{
    connect,
    row::{Api, Provider, optional, required},
};
use crate::{
    auth::KeyHeader,
    settings::{
        ProviderSettings,
        Setting::{
            self, AccessKeyId, ApiKey, BaseUrl, Credentials, Location, Project, Region, ResourceName, SecretAccessKey,
            SessionToken,
        },
    },
    wire::{
        WireFormat,
        anthropic::{AnthropicWire, CompatibleWire},
        bedrock::BedrockWire,
        chat::{ChatWire, Dialect},
        cohere::CohereWire,
        google::GoogleWire,
        responses::ResponsesWire,
    },
};

const ONLY_KEY: &[&[Setting]] = &[&[ApiKey]];

pub static BUILT_IN: [Provider; 9] = [
    Provider {
        name: "openai",
        factories: &["createOpenAI", "createOpenAIProvider"],
        apis: &[
            Api { name: "chat", wire: |_| Box::new(ChatWire::new(Dialect::OpenAi, None)) },
            Api { name: "responses", wire: |_| Box::new(ResponsesWire::openai()) },
        ],
        default_api: "responses",
        vendor: "OpenAI",
        base_url: "https://api.openai.com/v1",
        key_header: KeyHeader::Bearer,
        get_key_at: "https://platform.openai.com/api-keys",
        prefix: "OPENAI",
        variables: &[required("OPENAI_API_KEY", ApiKey), optional("OPENAI_BASE_URL", BaseUrl)],
        sufficient_settings: ONLY_KEY,
        connect: connect::openai,
    },
    Provider {
        name: "anthropic",
        factories: &["createAnthropic", "createAnthropicProvider"],
        apis: &[Api { name: "messages", wire: anthropic_wire }],
        default_api: "messages",
        vendor: "Anthropic",
        base_url: "https://api.anthropic.com/v1",
        key_header: KeyHeader::Plain("x-api-key"),
        get_key_at: "https://console.anthropic.com/settings/keys",
        prefix: "ANTHROPIC",
        variables: &[required("ANTHROPIC_API_KEY", ApiKey), optional("ANTHROPIC_BASE_URL", BaseUrl)],
        sufficient_settings: ONLY_KEY,
        connect: connect::single_key,
    },
    Provider {
        name: "google",
        factories: &["createGoogleGenerativeAI", "createGoogle", "createGoogleProvider"],
        apis: &[Api { name: "", wire: |_| Box::new(GoogleWire::generative_language()) }],
        default_api: "",
        vendor: "Google Generative AI",
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        key_header: KeyHeader::Plain("x-goog-api-key"),
        get_key_at: "https://aistudio.google.com/apikey",
        prefix: "GOOGLE_GENERATIVE_AI",
        variables: &[
            required("GOOGLE_GENERATIVE_AI_API_KEY", ApiKey),
            optional("GOOGLE_GENERATIVE_AI_BASE_URL", BaseUrl),
        ],
        sufficient_settings: ONLY_KEY,
        connect: connect::single_key,
    },
    Provider {
        name: "mistral",
        factories: &["createMistral", "createMistralProvider"],
        apis: &[Api { name: "chat", wire: |_| Box::new(ChatWire::new(Dialect::Mistral, None)) }],
        default_api: "chat",
        vendor: "Mistral",
        base_url: "https://api.mistral.ai/v1",
        key_header: KeyHeader::Bearer,
        get_key_at: "https://console.mistral.ai/api-keys",
        prefix: "MISTRAL",
        variables: &[required("MISTRAL_API_KEY", ApiKey), optional("MISTRAL_BASE_URL", BaseUrl)],
        sufficient_settings: ONLY_KEY,
        connect: connect::single_key,
    },
    Provider {
        name: "azure",
        factories: &["createAzure", "createAzureProvider"],
        apis: &[
            Api { name: "chat", wire: |settings| Box::new(ChatWire::azure(api_version(settings))) },
            Api { name: "responses", wire: |settings| Box::new(ResponsesWire::azure(api_version(settings))) },
        ],
        default_api: "responses",
        vendor: "Azure OpenAI",
        base_url: "https://{resource}.openai.azure.com/openai",
        key_header: KeyHeader::Plain("api-key"),
        get_key_at: "https://portal.azure.com (the resource's \"Keys and Endpoint\")",
        prefix: "AZURE",
        variables: &[
            required("AZURE_API_KEY", ApiKey),
            required("AZURE_RESOURCE_NAME", ResourceName),
            optional("AZURE_BASE_URL", BaseUrl),
            optional("AZURE_OPENAI_AD_TOKEN", Credentials),
            optional("AZURE_TENANT_ID", Credentials),
            optional("AZURE_CLIENT_ID", Credentials),
            optional("AZURE_CLIENT_SECRET", Credentials),
            optional("AZURE_FEDERATED_TOKEN_FILE", Credentials),
            optional("IDENTITY_ENDPOINT", Credentials),
        ],
        sufficient_settings: &[&[ApiKey, ResourceName], &[ApiKey, BaseUrl]],
        connect: connect::azure,
    },
    Provider {
        name: "groq",
        factories: &["createGroq", "createGroqProvider"],
        apis: &[Api { name: "chat", wire: |_| Box::new(ChatWire::new(Dialect::Groq, None)) }],
        default_api: "chat",
        vendor: "Groq",
        base_url: "https://api.groq.com/openai/v1",
        key_header: KeyHeader::Bearer,
        get_key_at: "https://console.groq.com/keys",
        prefix: "GROQ",
        variables: &[required("GROQ_API_KEY", ApiKey), optional("GROQ_BASE_URL", BaseUrl)],
        sufficient_settings: ONLY_KEY,
        connect: connect::single_key,
    },
    Provider {
        name: "cohere",
        factories: &["createCohere", "createCohereProvider"],
        apis: &[Api { name: "chat", wire: |_| Box::new(CohereWire) }],
        default_api: "chat",
        vendor: "Cohere",
        base_url: "https://api.cohere.com/v2",
        key_header: KeyHeader::Bearer,
        get_key_at: "https://dashboard.cohere.com/api-keys",
        prefix: "COHERE",
        variables: &[required("COHERE_API_KEY", ApiKey), optional("COHERE_BASE_URL", BaseUrl)],
        sufficient_settings: ONLY_KEY,
        connect: connect::single_key,
    },
    Provider {
        name: "bedrock",
        factories: &["createAmazonBedrock", "createBedrock", "createBedrockProvider"],
        apis: &[Api { name: "", wire: |_| Box::new(BedrockWire) }],
        default_api: "",
        vendor: "Amazon Bedrock",
        base_url: "https://bedrock-runtime.{region}.amazonaws.com",
        key_header: KeyHeader::Bearer,
        get_key_at: "https://console.aws.amazon.com/iam",
        prefix: "AWS",
        variables: &[
            required("AWS_ACCESS_KEY_ID", AccessKeyId),
            required("AWS_SECRET_ACCESS_KEY", SecretAccessKey),
            optional("AWS_SESSION_TOKEN", SessionToken),
            optional("AWS_REGION", Region),
            required("AWS_BEARER_TOKEN_BEDROCK", ApiKey),
            optional("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", BaseUrl),
            optional("AWS_PROFILE", Credentials),
            optional("AWS_WEB_IDENTITY_TOKEN_FILE", Credentials),
            optional("AWS_ROLE_ARN", Credentials),
            optional("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", Credentials),
            optional("AWS_CONTAINER_CREDENTIALS_FULL_URI", Credentials),
        ],
        sufficient_settings: &[&[ApiKey], &[AccessKeyId, SecretAccessKey]],
        connect: connect::bedrock,
    },
    Provider {
        name: "vertex",
        factories: &["createVertex", "createVertexProvider"],
        apis: &[Api { name: "", wire: |_| Box::new(GoogleWire::vertex()) }],
        default_api: "",
        vendor: "Google Vertex",
        base_url: "https://{location}-aiplatform.googleapis.com/v1beta1/projects/{project}/locations/{location}/publishers/google",
        key_header: KeyHeader::Plain("x-goog-api-key"),
        get_key_at: "https://console.cloud.google.com",
        prefix: "GOOGLE_VERTEX",
        variables: &[
            required("GOOGLE_VERTEX_API_KEY", ApiKey),
            required("GOOGLE_VERTEX_PROJECT", Project),
            optional("GOOGLE_VERTEX_LOCATION", Location),
            required("GOOGLE_APPLICATION_CREDENTIALS", Credentials),
            optional("GOOGLE_VERTEX_BASE_URL", BaseUrl),
            optional("GOOGLE_CLOUD_PROJECT", Credentials),
            optional("GOOGLE_CLOUD_LOCATION", Credentials),
            optional("GOOGLE_CLOUD_QUOTA_PROJECT", Credentials),
        ],
        sufficient_settings: &[&[ApiKey], &[Project]],
        connect: connect::vertex,
    },
];

/// Any server that speaks OpenAI's protocol. Not built in: its address and key come from settings or a custom
/// provider's variables.
pub static COMPATIBLE: Provider = Provider {
    name: "openai-compatible",
    factories: &["createOpenAICompatible"],
    apis: &[Api {
        name: "chat",
        wire: |settings| {
            let dialect = Dialect::Compatible(settings.compatible_name());
            let wire = ChatWire::new(dialect, settings.query.as_deref()).at(settings.base_url.as_deref());
            Box::new(if settings.include_usage == Some(false) { wire.without_usage() } else { wire })
        },
    }],
    default_api: "chat",
    vendor: "",
    base_url: "",
    key_header: KeyHeader::Bearer,
    get_key_at: "",
    prefix: "",
    variables: &[],
    sufficient_settings: &[],
    connect: connect::compatible,
};

pub(crate) fn built_in(name: &str) -> Option<&'static Provider> {
    BUILT_IN.iter().find(|provider| provider.name == name)
}

fn api_version(settings: &ProviderSettings) -> &str {
    settings.api_version.as_deref().unwrap_or("v1")
}

fn anthropic_wire(settings: &ProviderSettings) -> Box<dyn WireFormat> {
    let url = settings.base_url.as_deref().and_then(|url| Url::parse(url.trim()).ok());
    let is_vendors = |host: &str| host == "anthropic.com" || host.ends_with(".anthropic.com");
    match url.filter(|url| !url.host_str().is_some_and(is_vendors)) {
        Some(url) => Box::new(CompatibleWire { server: url.origin().ascii_serialization() }),
        None => Box::new(AnthropicWire),
    }
}
