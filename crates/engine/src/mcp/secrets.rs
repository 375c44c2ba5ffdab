//! The secrets in a server's settings: values of its environment, headers and URL.

use super::server::Server;

/// Shorter values are left alone: they may be ordinary text.
const SHORTEST: usize = 6;

const REDACTED: &str = "[redacted]";

#[derive(Clone, Default)]
pub(crate) struct ServerSecrets(Vec<String>);

impl ServerSecrets {
    pub(crate) fn of(server: &Server) -> Self {
        let mut secrets: Vec<String> = match server {
            Server::Program(program) => program.env.values().cloned().collect(),
            Server::Http(server) => {
                let url = &server.url;
                let of_query = url.query_pairs().map(|(_, value)| value.into_owned());
                let of_url = [url.query(), url.password()].into_iter().flatten().map(str::to_owned);
                // `Bearer abc`: the part after the scheme is a secret by itself.
                let of_headers = server.headers.values().flat_map(|value| {
                    [Some(value.clone()), value.split_once(' ').map(|(_, rest)| rest.trim().to_owned())]
                });
                of_headers.flatten().chain(of_url).chain(of_query).collect()
            }
        };
        // Paths are needed in messages.
        secrets.retain(|secret| secret.len() >= SHORTEST && !secret.contains('/'));
        // Longer ones first, as one may contain another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        ServerSecrets(secrets)
    }

    pub(crate) fn redact(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), REDACTED))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_left_out_of_texts() {
        let server = json!({"url": "http://h/x?api_key=k-123456", "headers": {"Authorization": "Bearer t0ken-abc"}});
        let Ok(server) = Server::from_json(&server) else { panic!("it is a server") };
        let secrets = ServerSecrets::of(&server);
        let redacted = secrets.redact("Bearer t0ken-abc, t0ken-abc, k-123456, x");
        assert_eq!(redacted, "[redacted], [redacted], [redacted], x");
    }
}
