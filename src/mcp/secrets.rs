//! What must not be told of a server: the values of its environment, its headers and its address. Must not know what is told.

use super::server::Server;

/// Shorter values are words that any text may have.
const SHORTEST: usize = 6;

/// What stands in the place of a secret.
const REDACTED: &str = "[redacted]";

/// The secrets of one server.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    /// Those of a server.
    pub(crate) fn of(server: &Server) -> Self {
        let mut secrets: Vec<String> = match server {
            Server::Program(program) => program.env.values().cloned().collect(),
            Server::Http(server) => {
                let url = &server.url;
                let of_query = url.query_pairs().map(|(_, value)| value.into_owned());
                let of_url = [url.query(), url.password()].into_iter().flatten().map(str::to_owned);
                // `Bearer abc`: what is behind the scheme is a secret by itself.
                let of_headers = server.headers.values().flat_map(|value| {
                    [Some(value.clone()), value.split_once(' ').map(|(_, rest)| rest.trim().to_owned())]
                });
                of_headers.flatten().chain(of_url).chain(of_query).collect()
            }
        };
        // Places are in messages for a reason.
        secrets.retain(|secret| secret.len() >= SHORTEST && !secret.contains('/'));
        // One may be part of another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Secrets(secrets)
    }

    /// The text without them.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), REDACTED))
    }

    /// Each of them.
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
        let secrets = Secrets::of(&server);
        let told = secrets.redact("Bearer t0ken-abc, t0ken-abc, k-123456, x");
        assert_eq!(told, "[redacted], [redacted], [redacted], x");
    }
}
