//! Compatible servers with rules of their own.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Server {
    Other,
    Azure,
    /// Translates `reasoning: {effort | max_tokens | enabled}` for every model.
    OpenRouter,
    Perplexity,
    XAi,
    DeepSeek,
    Moonshot,
    Zai,
    Cerebras,
}

/// Names and addresses of hosts with rules of their own.
const HOSTS: [(&str, &str, Server); 5] = [
    ("xai", "api.x.ai", Server::XAi),
    ("deepseek", "api.deepseek.com", Server::DeepSeek),
    ("moonshot", "api.moonshot.ai", Server::Moonshot),
    ("zai", "api.z.ai", Server::Zai),
    ("cerebras", "api.cerebras.ai", Server::Cerebras),
];

impl Server {
    /// Detects a compatible server by name or host; behind a proxy, only by name.
    pub(super) fn of(name: &str, base_url: Option<&str>) -> Self {
        let host = base_url.and_then(|url| url.split("://").nth(1)).and_then(|rest| rest.split(['/', '?']).next());
        let has =
            |word: &str| [Some(name), host].into_iter().flatten().any(|text| text.to_ascii_lowercase().contains(word));
        match () {
            () if has("openrouter") => Server::OpenRouter,
            () if has("perplexity") => Server::Perplexity,
            () => HOSTS
                .iter()
                .find(|(known, at, _)| *known == name || host == Some(*at))
                .map_or(Server::Other, |row| row.2),
        }
    }
}
