//! Keys in every place where a provider takes one, and servers that echo everything they receive: no key may be shown
//! or recorded.

use std::{collections::BTreeMap, sync::Mutex, thread};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use serde_json::json;

use crate::support::{
    Folder, Outcome,
    http::{Request, response, serve},
};

const KEY: &str = "sk-planted/Key+5f8e7d6c5b4a3f2e==";
const ACCESS: &str = "AKPLANTED0ACCESS0ID7";
const SESSION: &str = "planted/Session+8d7c6b5a4f3e2d1c";
const PASSWORD: &str = "planted-Pass-4f3e2d1c";
const QUERY: &str = "planted-Query-7a6b5c4d3e2f";
const HEADER: &str = "planted-Header-2d1c0b9a8f7e";
const FACTORY: &str = "planted-factory-secret-words";
const REFRESH: &str = "1/planted-refresh-0a1b2c3d4e5f";
const FETCHED: &str = "planted-fetched-9e8d7c6b5a4f";
const PLANTED: [&str; 9] = [KEY, ACCESS, SESSION, PASSWORD, QUERY, HEADER, FACTORY, REFRESH, FETCHED];

/// Responses that contain the echoed text.
const WAYS: [fn(&str) -> String; 9] = [
    |echo| response(&format!("400 Bad {}", &echo[..echo.len().min(2_000)]), "text/plain", ""),
    |echo| response("401 X", "application/json", &json!({ "error": { "message": echo, "code": echo } }).to_string()),
    |echo| {
        response("403 X", "application/json", &json!({ "message": echo, "detail": echo, "error": echo }).to_string())
    },
    |echo| response("400 X", "text/plain", echo),
    |echo| {
        let location: String = echo.chars().filter(|c| !c.is_whitespace()).take(4_000).collect();
        let answer = response("307 X", "text/plain", "");
        answer.replacen(
            "\r\n",
            &format!("\r\nlocation: https://me:{PASSWORD}@h/{location}?key={QUERY}&next={KEY}\r\n"),
            1,
        )
    },
    |echo| response("200 X", "text/html", &format!("<html><title>Log in, {echo}</title><body>{echo}</body></html>")),
    |echo| {
        let error = json!({ "type": "error", "error": { "message": echo, "type": "e" }, "message": echo });
        response("200 X", "text/event-stream", &format!("event: error\ndata: {error}\n\ndata: {echo}\n\n"))
    },
    |echo| {
        let body = json!({ "error": { "message": echo } }).to_string();
        response("500 X", "application/json", &body).replacen("\r\n", "\r\nretry-after-ms: 1\r\n", 1)
    },
    |echo| {
        response("400 X", "application/json", "{}").replacen("\r\n", &format!("\r\nx-amzn-errortype: {echo}\r\n"), 1)
    },
];

/// A server that responds in each of these ways in turn, and with a token at `/token`.
fn echo_server() -> String {
    let count = Mutex::new(0);
    serve(move |request| {
        if request.path == "/token" {
            let token = json!({ "access_token": FETCHED, "expires_in": 3_000 }).to_string();
            return response("200 X", "application/json", &token);
        }
        let mut count = count.lock().unwrap();
        *count += 1;
        WAYS[(*count - 1) % WAYS.len()](&echo(request))
    })
}

/// The request, and every key in all encodings that servers use.
fn echo(request: &Request) -> String {
    let got: String = request.head.iter().map(|line| format!("{line} | ")).collect();
    let written: Vec<String> = PLANTED.iter().flat_map(|secret| ways_to_write(secret)).collect();
    format!("{got} {} {}", written.join(" "), String::from_utf8_lossy(&request.body))
}

fn ways_to_write(secret: &str) -> [String; 6] {
    let encoded = percent_encoding::utf8_percent_encode(secret, percent_encoding::NON_ALPHANUMERIC).to_string();
    let user = format!("me:{secret}");
    [
        secret.to_owned(),
        encoded.clone(),
        encoded.to_lowercase(),
        STANDARD.encode(secret),
        STANDARD.encode(user),
        URL_SAFE_NO_PAD.encode(secret),
    ]
}

/// A prompt file that calls the model `times` times, prints everything about each failure, and fails with the last.
fn prompt_file(model: &str, times: usize) -> String {
    format!(
        r#"
        import * as lmthing from 'lmthing';
        const options = {{ maxRetries: {times} > 1 ? 1 : 0, headers: {{ 'X-Planted': '{HEADER}' }} }};
        export const config = {{ model: 'mock' }};
        export const mock = [];
        export default async () => {{
          let last;
          for (let way = 0; way < {times}; way++) {{
            try {{
              const {{ result }} = await lmthing.runPrompt(async ({{ $ }}) => {{ $`My key is {KEY}.`; }}, {{
                model: {model}, options
              }});
              console.log(await result.text);
            }} catch (error) {{
              last = error;
              console.log(error.message, error.hint, error.stack, String(error.cause), JSON.stringify(error));
            }}
          }}
          throw last;
        }};
        "#,
    )
}

/// Runs the prompt file; also returns the recording.
fn run(model: &str, variables: &BTreeMap<&str, String>, times: usize) -> (Outcome, String) {
    let folder = Folder::of(&prompt_file(model, times));
    let outcome = Outcome::of(folder.bare_command("run --record run.json p.lmt.mjs").envs(variables));
    (outcome, folder.lines("run.json").join("\n"))
}

fn check(name: &str, model: &str, variables: &BTreeMap<&str, String>) {
    let (output, recording) = run(model, variables, WAYS.len());
    let (stdout, stderr) = (&output.stdout, &output.stderr);
    assert_eq!(output.code, 3, "{name}: {stderr}\n{stdout}");
    assert!(stdout.contains("[redacted]") && stderr.contains("[redacted]"), "{name}: {stderr}\n{stdout}");
    assert!(recording.contains("My key is [redacted]."), "{name}: {recording}");
    check_texts(name, &output, &recording);
}

fn check_texts(name: &str, output: &Outcome, recording: &str) {
    for (place, text) in [("stdout", &*output.stdout), ("stderr", &output.stderr), ("recording", recording)] {
        for secret in PLANTED {
            for written in ways_to_write(secret).into_iter().chain([secret[..secret.len() - 4].to_owned()]) {
                let at =
                    text.find(&written).map(|at| text[at.saturating_sub(60)..].chars().take(160).collect::<String>());
                assert_eq!(at, None, "{name}: {place} shows {written}");
            }
        }
    }
}

fn base(address: &str) -> String {
    format!("http://me:{PASSWORD}@{address}/v1?key={QUERY}")
}

#[test]
fn no_provider_shows_what_a_server_sends_back() {
    // Provider, variable of its key, variable of its base URL.
    let providers = [
        ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
        ("google", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_GENERATIVE_AI_BASE_URL"),
        ("mistral", "MISTRAL_API_KEY", "MISTRAL_BASE_URL"),
        ("azure", "AZURE_API_KEY", "AZURE_BASE_URL"),
        ("groq", "GROQ_API_KEY", "GROQ_BASE_URL"),
        ("cohere", "COHERE_API_KEY", "COHERE_BASE_URL"),
        ("bedrock", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"),
        ("vertex", "GOOGLE_VERTEX_API_KEY", "GOOGLE_VERTEX_BASE_URL"),
        ("lab", "LAB_API_KEY", "LAB_API_BASE"),
    ];
    thread::scope(|scope| {
        for (name, key, base_url) in providers {
            scope.spawn(move || {
                let variables = BTreeMap::from([
                    (key, KEY.to_owned()),
                    (base_url, base(&echo_server())),
                    ("AWS_ACCESS_KEY_ID", ACCESS.to_owned()),
                    ("AWS_SESSION_TOKEN", SESSION.to_owned()),
                    ("LAB_API_TYPE", "openai".to_owned()),
                    // Not used by any provider, but echoed too.
                    ("OTHER_SECRET", FACTORY.to_owned()),
                    ("OTHER_TOKEN", REFRESH.to_owned()),
                    ("OTHER_KEY", KEY.to_owned()),
                    ("ANOTHER_KEY", FETCHED.to_owned()),
                ]);
                check(name, &format!("'{name}:model-1'"), &variables);
            });
        }
    });
}

#[test]
fn keys_set_by_scripts_are_redacted_too() {
    let base_url = base(&echo_server());
    let headers = format!("{{ 'X-Factory-Secret': '{FACTORY}', Cookie: '{REFRESH}', 'x-session': '{SESSION}' }}");
    let settings = format!("{{ name: 'lab', apiKey: '{KEY}', baseURL: '{base_url}', headers: {headers} }}");
    let variables = BTreeMap::from([("OTHER_KEY", ACCESS.to_owned()), ("ANOTHER_KEY", FETCHED.to_owned())]);
    check("createOpenAICompatible", &format!("lmthing.createOpenAICompatible({settings})('m')"), &variables);
}

#[test]
fn tokens_and_what_they_are_traded_for_are_secrets() {
    let address = echo_server();
    let vertex = |token_path: &str| {
        let token_uri = format!("http://{address}{token_path}");
        let credentials = json!({
            "type": "authorized_user",
            "client_id": "me",
            "client_secret": FACTORY,
            "refresh_token": REFRESH,
            "token_uri": token_uri,
        });
        let base_url = format!("http://{address}/v1");
        let settings =
            json!({ "project": "p", "baseURL": base_url, "googleAuthOptions": { "credentials": credentials } });
        format!("lmthing.createVertex({settings})('m')")
    };
    let others = [KEY, ACCESS, SESSION, PASSWORD, QUERY];
    let names = ["A_KEY", "B_KEY", "C_KEY", "D_KEY", "E_KEY"];
    let mut variables: BTreeMap<&str, String> = names.into_iter().zip(others.map(str::to_owned)).collect();
    check("the model's server", &vertex("/token"), &variables);
    variables.insert("F_KEY", FETCHED.to_owned());
    let (output, recording) = run(&vertex("/refused"), &variables, WAYS.len());
    check_texts("the token server", &output, &recording);
}

#[test]
fn an_invalid_base_url_is_redacted() {
    for base_url in [
        format!("me:{PASSWORD}@127.0.0.1/v1?key={QUERY}"),
        format!("http://me:{PASSWORD}@127.0.0.1:notaport/v1?key={QUERY}"),
        format!("http://me:{PASSWORD}/x@[::1/v1?key={QUERY}"),
        format!("ftp://me:{PASSWORD}@127.0.0.1/v1?api_key={QUERY}"),
    ] {
        let variables = BTreeMap::from([("OPENAI_API_KEY", KEY.to_owned()), ("OPENAI_BASE_URL", base_url.clone())]);
        let (output, recording) = run("'openai:gpt-4o'", &variables, 1);
        assert_ne!(output.code, 0, "{base_url}");
        let shown = output.stdout + &output.stderr + &recording;
        for secret in [PASSWORD, QUERY] {
            assert!(!shown.contains(secret), "{base_url}: {shown}");
        }
    }
}

#[test]
fn a_line_of_the_script_is_shown_without_its_key() {
    let (output, _) =
        run(&format!("lmthing.createOpenAI({{ apiKey: '{KEY}', baseURL: 5 }})('m')"), &BTreeMap::new(), 1);
    let stderr = output.stderr;
    assert!(stderr.contains("baseURL must be a string") && !stderr.contains(KEY), "{stderr}");
}
