//! The table of known hosts: services that need only the usual key, and servers on this machine. All but Ollama speak
//! OpenAI's protocol.

use super::{
    connect,
    row::{Api, Provider, Variable, optional, required},
};
use crate::{
    auth::KeyHeader,
    settings::{
        ProviderSettings,
        Setting::{self, ApiKey, BaseUrl},
    },
    wire::{
        WireFormat,
        chat::{ChatWire, Dialect},
        ollama::OllamaWire,
        responses::ResponsesWire,
    },
};

const WITHOUT_KEY: &[&[Setting]] = &[&[]];

const CHAT: &[Api] = &[Api { name: "chat", wire: chat }];

const XAI: &[Api] =
    &[Api { name: "chat", wire: chat }, Api { name: "responses", wire: |_| Box::new(ResponsesWire::xai()) }];

pub(super) static HOSTS: [Provider; 17] = [
    host(
        ("deepseek", "DeepSeek", "DEEPSEEK"),
        "https://api.deepseek.com",
        "https://platform.deepseek.com/api_keys",
        &[required("DEEPSEEK_API_KEY", ApiKey), optional("DEEPSEEK_BASE_URL", BaseUrl)],
    ),
    // Its search exists in this API only.
    Provider {
        apis: XAI,
        default_api: "responses",
        ..host(
            ("xai", "xAI", "XAI"),
            "https://api.x.ai/v1",
            "https://console.x.ai",
            &[required("XAI_API_KEY", ApiKey), optional("XAI_BASE_URL", BaseUrl)],
        )
    },
    host(
        ("openrouter", "OpenRouter", "OPENROUTER"),
        "https://openrouter.ai/api/v1",
        "https://openrouter.ai/settings/keys",
        &[required("OPENROUTER_API_KEY", ApiKey), optional("OPENROUTER_BASE_URL", BaseUrl)],
    ),
    host(
        ("together", "Together", "TOGETHER"),
        "https://api.together.xyz/v1",
        "https://api.together.ai/settings/api-keys",
        &[required("TOGETHER_API_KEY", ApiKey), optional("TOGETHER_BASE_URL", BaseUrl)],
    ),
    host(
        ("fireworks", "Fireworks", "FIREWORKS"),
        "https://api.fireworks.ai/inference/v1",
        "https://app.fireworks.ai/settings/users/api-keys",
        &[required("FIREWORKS_API_KEY", ApiKey), optional("FIREWORKS_BASE_URL", BaseUrl)],
    ),
    host(
        ("cerebras", "Cerebras", "CEREBRAS"),
        "https://api.cerebras.ai/v1",
        "https://cloud.cerebras.ai",
        &[required("CEREBRAS_API_KEY", ApiKey), optional("CEREBRAS_BASE_URL", BaseUrl)],
    ),
    host(
        ("moonshot", "Moonshot", "MOONSHOT"),
        "https://api.moonshot.ai/v1",
        "https://platform.moonshot.ai/console/api-keys",
        &[required("MOONSHOT_API_KEY", ApiKey), optional("MOONSHOT_BASE_URL", BaseUrl)],
    ),
    host(
        ("zai", "Z.ai", "ZAI"),
        "https://api.z.ai/api/paas/v4",
        "https://z.ai/manage-apikey/apikey-list",
        &[required("ZAI_API_KEY", ApiKey), optional("ZAI_BASE_URL", BaseUrl)],
    ),
    host(
        ("perplexity", "Perplexity", "PERPLEXITY"),
        "https://api.perplexity.ai",
        "https://www.perplexity.ai/settings/api",
        &[required("PERPLEXITY_API_KEY", ApiKey), optional("PERPLEXITY_BASE_URL", BaseUrl)],
    ),
    host(
        ("nvidia", "NVIDIA", "NVIDIA"),
        "https://integrate.api.nvidia.com/v1",
        "https://build.nvidia.com/settings/api-keys",
        &[required("NVIDIA_API_KEY", ApiKey), optional("NVIDIA_BASE_URL", BaseUrl)],
    ),
    host(
        ("huggingface", "Hugging Face", "HUGGINGFACE"),
        "https://router.huggingface.co/v1",
        "https://huggingface.co/settings/tokens",
        &[
            required("HUGGINGFACE_API_KEY", ApiKey),
            optional("HF_TOKEN", ApiKey),
            optional("HUGGINGFACE_BASE_URL", BaseUrl),
        ],
    ),
    host(
        ("sambanova", "SambaNova", "SAMBANOVA"),
        "https://api.sambanova.ai/v1",
        "https://cloud.sambanova.ai/apis",
        &[required("SAMBANOVA_API_KEY", ApiKey), optional("SAMBANOVA_BASE_URL", BaseUrl)],
    ),
    Provider {
        apis: &[Api { name: "chat", wire: |_| Box::new(OllamaWire) }],
        connect: connect::ollama,
        ..local(
            ("ollama", "Ollama", "OLLAMA"),
            "http://127.0.0.1:11434",
            // The address for lmthing wins over Ollama's own variable, which a server's machine sets too.
            &[
                optional("OLLAMA_BASE_URL", BaseUrl),
                optional("OLLAMA_HOST", BaseUrl),
                optional("OLLAMA_API_KEY", ApiKey),
            ],
        )
    },
    local(
        ("lmstudio", "LM Studio", "LMSTUDIO"),
        "http://127.0.0.1:1234/v1",
        &[optional("LMSTUDIO_API_KEY", ApiKey), optional("LMSTUDIO_BASE_URL", BaseUrl)],
    ),
    local(
        ("llamacpp", "llama.cpp", "LLAMACPP"),
        "http://127.0.0.1:8080/v1",
        &[optional("LLAMACPP_API_KEY", ApiKey), optional("LLAMACPP_BASE_URL", BaseUrl)],
    ),
    local(
        ("vllm", "vLLM", "VLLM"),
        "http://127.0.0.1:8000/v1",
        &[optional("VLLM_API_KEY", ApiKey), optional("VLLM_BASE_URL", BaseUrl)],
    ),
    local(
        ("docker", "Docker Model Runner", "DOCKER"),
        "http://127.0.0.1:12434/engines/v1",
        &[optional("DOCKER_API_KEY", ApiKey), optional("DOCKER_BASE_URL", BaseUrl)],
    ),
];

const fn host(
    (name, vendor, prefix): (&'static str, &'static str, &'static str),
    base_url: &'static str,
    get_key_at: &'static str,
    variables: &'static [Variable],
) -> Provider {
    Provider {
        name,
        factories: &[],
        apis: CHAT,
        default_api: "chat",
        vendor,
        base_url,
        key_header: KeyHeader::Bearer,
        get_key_at,
        prefix,
        variables,
        sufficient_settings: &[&[ApiKey]],
        connect: connect::single_key,
    }
}

const fn local(
    names: (&'static str, &'static str, &'static str),
    base_url: &'static str,
    variables: &'static [Variable],
) -> Provider {
    Provider { sufficient_settings: WITHOUT_KEY, ..host(names, base_url, "", variables) }
}

fn chat(settings: &ProviderSettings) -> Box<dyn WireFormat> {
    let dialect = Dialect::Compatible(settings.compatible_name());
    Box::new(ChatWire::new(dialect, settings.query.as_deref()).at(settings.base_url.as_deref()))
}
