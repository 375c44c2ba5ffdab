//! Well-known OpenAI-compatible services and local servers, for hints on how to define them as custom providers.
//! Nothing is sent to an address of this list.

pub(crate) struct Service {
    names: &'static [&'static str],
    prefix: &'static str,
    pub(super) base_url: &'static str,
    pub start: Option<&'static str>,
}

const fn server(
    names: &'static [&'static str],
    prefix: &'static str,
    base_url: &'static str,
    start: &'static str,
) -> Service {
    Service { names, prefix, base_url, start: Some(start) }
}

const fn service(names: &'static [&'static str], prefix: &'static str, base_url: &'static str) -> Service {
    Service { names, prefix, base_url, start: None }
}

static SERVICES: [Service; 10] = [
    server(&["ollama"], "OLLAMA", "http://localhost:11434/v1", "ollama serve"),
    server(&["lmstudio"], "LMSTUDIO", "http://localhost:1234/v1", "lms server start"),
    server(&["vllm"], "VLLM", "http://localhost:8000/v1", "vllm serve MODEL"),
    server(&["llamacpp"], "LLAMACPP", "http://localhost:8080/v1", "llama-server -m MODEL.gguf"),
    server(&["localai"], "LOCALAI", "http://localhost:8080/v1", "local-ai run"),
    server(&["litellm"], "LITELLM", "http://localhost:4000/v1", "litellm --config FILE"),
    service(&["deepinfra"], "DEEPINFRA", "https://api.deepinfra.com/v1/openai"),
    service(&["dashscope", "qwen", "alibaba"], "DASHSCOPE", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
    service(&["github", "github-models"], "GITHUB", "https://models.github.ai/inference"),
    service(&["hyperbolic"], "HYPERBOLIC", "https://api.hyperbolic.xyz/v1"),
];

impl Service {
    pub(crate) fn name(&self) -> &'static str {
        self.names[0]
    }

    pub(crate) fn named(name: &str) -> Option<&'static Service> {
        SERVICES.iter().find(|service| service.names.contains(&name))
    }

    /// The local server that uses this port by default, if only one does.
    pub(crate) fn on_port(port: u16) -> Option<&'static Service> {
        let ending = format!(":{port}/v1");
        let is_meant = |service: &&Service| service.start.is_some() && service.base_url.ends_with(&ending);
        // 8000 and 8080 are too common to name a server.
        let usual = ["ollama", "lmstudio"];
        SERVICES.iter().find(is_meant).filter(|service| usual.contains(&service.names[0]))
    }

    pub(super) fn definition(&self, name: &str) -> String {
        let Service { prefix, base_url, .. } = self;
        let mut variables = vec![format!("{prefix}_API_BASE={base_url}"), format!("{prefix}_API_TYPE=openai")];
        if name != prefix.to_ascii_lowercase() {
            variables.push(format!("{prefix}_API_NAME={name}"));
        }
        let key = format!("{prefix}_API_KEY");
        let optional = match self.start {
            Some(_) => format!(" ({key} only if the server wants a key)"),
            None => {
                variables.push(key);
                String::new()
            }
        };
        let last = variables.pop().unwrap_or_default();
        format!("Set {} and {last} in the environment or in .env{optional}.", variables.join(", "))
    }
}
