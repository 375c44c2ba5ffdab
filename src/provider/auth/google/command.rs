//! A subject token printed by a program.

use std::{
    process::Stdio,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;
use tokio::process::Command;

use super::credentials::{field, text};
use crate::provider::{
    Env,
    auth::{ask::Asker, request::AuthFailure, sources::KeyFile},
};

const ALLOW: &str = "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES";
const USUAL_TIMEOUT: Duration = Duration::from_secs(30);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(120);

/// Runs `credential_source.executable.command`, if the user allows it: a credentials file may come from anywhere.
pub(super) async fn token(asker: &Asker, credentials: &Value, executable: &Value) -> Result<String, AuthFailure> {
    if asker.variable(ALLOW).as_deref() != Some("1") {
        let message = "The Google credentials name a program to run for a token, which is not allowed.";
        let hint = format!("Set {ALLOW}=1 if you trust the file.");
        return Err(AuthFailure::configuration(message).with_hint(hint));
    }
    let Some(command) = text(executable, "command") else {
        return Err(failed("is not named: executable.command is missing"));
    };
    let file = text(executable, "output_file");
    let kept = file.as_ref().and_then(|path| KeyFile::named_by("/credential_source/executable/output_file", path));
    if let Some(token) = kept.and_then(|file| file.bytes().ok()).and_then(|text| earlier(&text)) {
        return Ok(token);
    }
    let wish = executable.get("timeout_millis").and_then(Value::as_u64).map(Duration::from_millis);
    let timeout = wish.unwrap_or(USUAL_TIMEOUT).min(LONGEST_TIMEOUT);
    let run = command_of(asker.env(), &command, credentials, file.as_deref())?.output();
    let output = match tokio::time::timeout(timeout, run).await {
        Err(_) => return Err(failed(&format!("did not end within {} s", timeout.as_secs_f64()))),
        Ok(Err(error)) => return Err(failed(&format!("could not be started: {error}"))),
        Ok(Ok(output)) => output,
    };
    // A program that failed may have said why in the same form.
    match serde_json::from_slice::<Value>(&output.stdout) {
        Ok(answer) => answered(&answer),
        Err(_) if output.status.success() => Err(failed("printed no JSON")),
        Err(_) => Err(failed(&format!("failed ({})", output.status))),
    }
}

fn failed(why: &str) -> AuthFailure {
    AuthFailure::refused(format!("The program of the Google credentials (credential_source.executable) {why}."))
}

fn command_of(env: &dyn Env, line: &str, credentials: &Value, file: Option<&str>) -> Result<Command, AuthFailure> {
    let words = words(line);
    let Some((program, arguments)) = words.split_first() else {
        return Err(failed("is not named: executable.command is empty"));
    };
    let mut command = Command::new(program);
    // The variables of the run: what stands in `.env` counts, and what a script has taken out is gone.
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

/// A name and a value as an operating system takes them; a script may have written others to `process.env`.
fn is_variable((name, value): &(String, String)) -> bool {
    !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
}

/// A command line without a shell: words are apart by spaces, and held together by quotes.
fn words(line: &str) -> Vec<String> {
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

/// The token of an earlier run, if it is still good.
fn earlier(text: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(text).ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    answer.get("expiration_time").and_then(Value::as_u64).filter(|end| *end > now)?;
    answered(&answer).ok()
}

fn answered(answer: &Value) -> Result<String, AuthFailure> {
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
        assert_eq!(words(r#"/bin/get  --for "the lab" 'it"s' """#), ["/bin/get", "--for", "the lab", "it\"s", ""]);
        assert!(words("  ").is_empty());
    }

    #[test]
    fn answers_of_programs_are_read() {
        let jwt = json!({ "success": true, "token_type": "urn:ietf:params:oauth:token-type:jwt", "id_token": "a.b.c" });
        assert_eq!(answered(&jwt).as_deref(), Ok("a.b.c"));
        let no = answered(&json!({ "success": false, "code": "401", "message": "Not you" })).unwrap_err();
        assert!(no.message.ends_with("has no token: 401 Not you."), "{}", no.message);
        assert_eq!(earlier(br#"{"success":true,"id_token":"old","expiration_time":5}"#), None);
    }
}
