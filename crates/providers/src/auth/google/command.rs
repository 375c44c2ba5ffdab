//! Subject tokens printed by an executable.

use std::{
    process::Stdio,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;
use tokio::process::Command;

use super::credentials::{field, text};
use crate::{
    Env,
    auth::{request::AuthFailure, sources::CredentialFile, token_client::TokenClient},
};

const ALLOW_VARIABLE: &str = "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES";
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_TIMEOUT: Duration = Duration::from_secs(120);

/// Runs `credential_source.executable.command` if the user allows it: a credentials file may come from anywhere.
pub(super) async fn token(
    tokens: &TokenClient,
    credentials: &Value,
    executable: &Value,
) -> Result<String, AuthFailure> {
    if tokens.variable(ALLOW_VARIABLE).as_deref() != Some("1") {
        let message = "The Google credentials name a program to run for a token, which is not allowed.";
        let hint = format!("Set {ALLOW_VARIABLE}=1 if you trust the file.");
        return Err(AuthFailure::configuration(message).with_hint(hint));
    }
    let Some(command) = text(executable, "command") else {
        return Err(failed("is not named: executable.command is missing"));
    };
    let file = text(executable, "output_file");
    let cache =
        file.as_ref().and_then(|path| CredentialFile::from_field("/credential_source/executable/output_file", path));
    if let Some(token) = cache.and_then(|file| file.bytes().ok()).and_then(|text| cached_token(&text)) {
        return Ok(token);
    }
    let requested = executable.get("timeout_millis").and_then(Value::as_u64).map(Duration::from_millis);
    let timeout = requested.unwrap_or(DEFAULT_TIMEOUT).min(MAX_TIMEOUT);
    let run = build_command(tokens.env(), &command, credentials, file.as_deref())?.output();
    let output = match tokio::time::timeout(timeout, run).await {
        Err(_) => return Err(failed(&format!("did not end within {} s", timeout.as_secs_f64()))),
        Ok(Err(error)) => return Err(failed(&format!("could not be started: {error}"))),
        Ok(Ok(output)) => output,
    };
    match serde_json::from_slice::<Value>(&output.stdout) {
        Ok(answer) => parse_response(&answer),
        Err(_) if output.status.success() => Err(failed("printed no JSON")),
        Err(_) => Err(failed(&format!("failed ({})", output.status))),
    }
}

fn failed(why: &str) -> AuthFailure {
    AuthFailure::refused(format!("The program of the Google credentials (credential_source.executable) {why}."))
}

fn build_command(env: &dyn Env, line: &str, credentials: &Value, file: Option<&str>) -> Result<Command, AuthFailure> {
    let words = split_command_line(line);
    let Some((program, arguments)) = words.split_first() else {
        return Err(failed("is not named: executable.command is empty"));
    };
    let mut command = Command::new(program);
    // The environment of the run, which includes `.env` and a script's changes.
    let named = |name: String| env.get(&name).map(|value| (name, value));
    let variables = env.names().into_iter().filter_map(named).filter(is_variable);
    command.env_clear().envs(variables);
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    command.env("GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE", field(credentials, "audience")?);
    command.env("GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE", field(credentials, "subject_token_type")?);
    command.env("GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE", "0");
    if let Some(file) = file {
        command.env("GOOGLE_EXTERNAL_ACCOUNT_OUTPUT_FILE", file);
    }
    let url = text(credentials, "service_account_impersonation_url");
    let email = url.as_deref().and_then(|url| url.rsplit('/').next()?.strip_suffix(":generateAccessToken"));
    if let Some(email) = email {
        command.env("GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL", email);
    }
    Ok(command)
}

fn is_variable((name, value): &(String, String)) -> bool {
    !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
}

fn split_command_line(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (_, None) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

fn cached_token(text: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(text).ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    answer.get("expiration_time").and_then(Value::as_u64).filter(|end| *end > now)?;
    parse_response(&answer).ok()
}

fn parse_response(answer: &Value) -> Result<String, AuthFailure> {
    if answer.get("success").and_then(Value::as_bool) != Some(true) {
        let words: Vec<String> = ["code", "message"].iter().filter_map(|name| text(answer, name)).collect();
        return Err(failed(&format!("says that it has no token: {}", words.join(" "))));
    }
    let kind = text(answer, "token_type").unwrap_or_default();
    let name = if kind.ends_with("saml2") { "saml_response" } else { "id_token" };
    text(answer, name).ok_or_else(|| failed(&format!("printed no {name}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_command_line_is_split_as_it_reads() {
        assert_eq!(
            split_command_line(r#"/bin/get  --for "the lab" 'it"s' """#),
            ["/bin/get", "--for", "the lab", "it\"s", ""]
        );
        assert!(split_command_line("  ").is_empty());
    }

    #[test]
    fn responses_of_executables_are_parsed() {
        let jwt = json!({ "success": true, "token_type": "urn:ietf:params:oauth:token-type:jwt", "id_token": "a.b.c" });
        assert_eq!(parse_response(&jwt).as_deref(), Ok("a.b.c"));
        let no = parse_response(&json!({ "success": false, "code": "401", "message": "Not you" })).unwrap_err();
        assert!(no.message.ends_with("has no token: 401 Not you."), "{}", no.message);
        assert_eq!(cached_token(br#"{"success":true,"id_token":"old","expiration_time":5}"#), None);
    }
}
