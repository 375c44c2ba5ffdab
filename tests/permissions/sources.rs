//! All sources of keys are closed to a restricted prompt file and to the programs it starts (the table in
//! docs/reference/permissions.md, "Keys"), while its requests are signed with them.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::mpsc::{Receiver, channel},
};

use crate::{
    helpers::{TRY, folder},
    support::{Folder, Outcome},
};

const KEY: &str = "sk-of-a-source-1234567890";

/// Files with credentials, relative to the working directory, and the variable that names the file or its folder. The
/// last ones are named by other credentials.
const SOURCES: [(&str, &str, &str); 24] = [
    ("home/.aws/config", "", ""),
    ("home/.aws/credentials", "", ""),
    ("home/.aws/sso/cache/0a.json", "", ""),
    ("home/.aws/cli/cache/1b.json", "", ""),
    ("home/.aws/login/cache/2c.json", "", ""),
    ("conf/aws-config.json", "AWS_CONFIG_FILE", "conf/aws-config.json"),
    ("conf/aws-credentials.txt", "AWS_SHARED_CREDENTIALS_FILE", "own/../conf/aws-credentials.txt"),
    ("home/web-token.txt", "AWS_WEB_IDENTITY_TOKEN_FILE", "~/web-token.txt"),
    ("conf/container-token.txt", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "conf/container-token.txt"),
    ("logins/3d.json", "AWS_LOGIN_CACHE_DIRECTORY", "logins"),
    ("home/.azure/msal_token_cache.json", "", ""),
    ("azure/deep/token.json", "AZURE_CONFIG_DIR", "azure"),
    ("conf/federated.txt", "AZURE_FEDERATED_TOKEN_FILE", "conf/federated.txt"),
    ("conf/certificate.pem", "AZURE_CLIENT_CERTIFICATE_PATH", "conf/certificate.pem"),
    ("home/.config/gcloud/application_default_credentials.json", "", ""),
    ("home/.config/gcloud/legacy_credentials/me/adc.json", "", ""),
    ("gcloud/credentials.db", "CLOUDSDK_CONFIG", "gcloud/"),
    ("conf/google.json", "GOOGLE_APPLICATION_CREDENTIALS", "conf/google.json"),
    ("conf/access-token.txt", "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE", "conf/access-token.txt"),
    ("conf/profile-token.txt", "", ""),
    ("conf/printed.json", "", ""),
    ("conf/subject.txt", "", ""),
    ("conf/output.json", "", ""),
    ("conf/token.sh", "", ""),
];

/// A file that tries each source in each of these ways, and prints those that are not refused.
fn with_sources(ways: &str) -> Folder {
    let files: Vec<&str> = SOURCES.iter().map(|(file, ..)| *file).collect();
    let folder = folder(&format!(
        "const ways = {{ {ways} }};
  let tried = 0;
  for (const [at, path] of {files:?}.entries()) for (const [name, way] of Object.entries(ways)) {{
    tried += 1;
    try {{ console.log(`${{path}} ${{name}}: ${{await way(path, at)}}`); }} catch (error) {{
      if (words(error) !== 'PermissionError never') console.log(`${{path}} ${{name}}: ${{words(error)}}`);
    }}
  }}
  console.log(`refused: ${{tried}}`);
  await attempt('note', () => fs.readFileSync('conf/note.txt', 'utf8'));"
    ));
    std::fs::create_dir(folder.path("own/links")).unwrap();
    for (at, file) in files.iter().enumerate() {
        folder.write(file, &format!("\"{KEY}\""));
        std::os::unix::fs::symlink(folder.path(file), folder.path(&format!("own/links/{at}"))).unwrap();
    }
    let path = |file: &str| folder.path(file).display().to_string();
    let config = format!(
        "[profile a]\nweb_identity_token_file = {}\n[profile b]\ncredential_process = cat \"{}\"\n",
        path("conf/profile-token.txt"),
        path("conf/printed.json"),
    );
    folder.write("conf/aws-config.json", &config);
    let source = serde_json::json!({
        "file": path("conf/subject.txt"),
        "executable": { "command": format!("sh {}", path("conf/token.sh")), "output_file": path("conf/output.json") },
    });
    let google = serde_json::json!({ "source_credentials": { "credential_source": source } });
    folder.write("conf/google.json", &google.to_string());
    folder.write("conf/note.txt", "a note");
    folder
}

/// The attempts that are not refused, with the home directory in the folder and every variable set.
fn tried_with_sources(folder: &Folder, options: &str) -> Vec<String> {
    let mut command = folder.command(&format!("run {options} own/p.lmt.mjs"));
    command.env("HOME", folder.path("home"));
    command.envs(SOURCES.iter().filter(|(_, variable, _)| !variable.is_empty()).map(|(_, name, value)| (name, value)));
    let outcome = Outcome::of(&mut command);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(!outcome.stdout.contains(KEY) && !outcome.stderr.contains(KEY), "{outcome:?}");
    outcome.stdout.lines().filter(|line| *line != "Done.").map(str::to_owned).collect()
}

#[test]
fn credentials_of_clouds_stay_shut() {
    let folder = with_sources(
        "read: (path) => fs.readFileSync(path, 'utf8'),
    promise: (path) => fs.promises.readFile(path, 'utf8'),
    stream: async (path) => { let all = ''; for await (const part of fs.createReadStream(path)) all += part; return all; },
    blob: async (path) => (await fs.openAsBlob(path)).text(),
    link: (path, at) => fs.readFileSync(`own/links/${at}`, 'utf8'),
    copy: (path) => fs.copyFileSync(path, 'own/copy.txt'),
    'copy all': (path) => fs.cpSync(path, 'own/copied', { recursive: true }),
    'hard link': (path) => fs.linkSync(path, 'own/hard.txt'),
    'soft link': (path) => fs.symlinkSync(`../${path}`, 'own/soft.txt'),
    move: (path) => fs.renameSync(path, 'own/moved.txt'),
    remove: (path) => fs.rmSync(path),
    write: (path) => fs.writeFileSync(path, ''),
    append: (path) => fs.promises.appendFile(path, ''),
    text: async (path) => (await import(new URL(`../${path}`, import.meta.url).href, { with: { type: 'text' } })).default,
    json: async (path) => (await import(new URL(`../${path}`, import.meta.url).href, { with: { type: 'json' } })).default,
    require: (path) => require(`../${path}`)",
    );
    let root = folder.path("").canonicalize().unwrap().display().to_string();
    for options in ["--allow-read --allow-write", &format!("--allow-read={root} --allow-write={root}")] {
        let all = tried_with_sources(&folder, options);
        assert_eq!(all, [format!("refused: {}", SOURCES.len() * 16), "note: a note".to_owned()], "{options}");
    }
    let fetched = with_sources("fetch: async (path) => (await fetch(new URL(`../${path}`, import.meta.url))).text()");
    tried_with_sources(&fetched, "--allow-read --allow-net");
}

#[test]
fn folders_with_credentials_stay_shut_as_a_whole() {
    let folder = with_sources("");
    let body = "await attempt('list', () => fs.readdirSync('home/.aws').join());
  await attempt('list azure', () => fs.readdirSync('azure').join());
  await attempt('made', () => fs.writeFileSync('home/.config/gcloud/new.json', '{}'));
  await attempt('made azure', () => fs.mkdirSync('home/.azure/new'));
  await attempt('moved', () => fs.renameSync('home/.aws', 'home/moved'));
  await attempt('moved above', () => fs.renameSync('home', 'moved'));
  await attempt('moved gcloud', () => fs.renameSync('gcloud', 'moved'));
  await attempt('removed', () => fs.rmSync('home/.azure', { recursive: true }));
  await attempt('hard link', () => fs.readFileSync('own/hard.json', 'utf8'));";
    folder.write("own/p.lmt.mjs", &TRY.replace("BODY", body));
    std::fs::hard_link(folder.path("home/.aws/sso/cache/0a.json"), folder.path("own/hard.json")).unwrap();
    let all = tried_with_sources(&folder, "--allow-read --allow-write");
    assert!(all.len() == 9 && all.iter().all(|line| line.ends_with("PermissionError never")), "{all:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn programs_do_not_read_credentials_of_clouds() {
    let folder = with_sources(
        "program: (path, at) => {
      const cat = (file) => spawnSync('cat', [file], { encoding: 'utf8' }).stdout;
      if (cat('conf/note.txt') !== 'a note') return 'the program does not work';
      if (cat(path) || cat(`own/links/${at}`)) return 'it has read it';
      fs.readFileSync(path);
    }",
    );
    for options in ["--allow-read --allow-run=cat", "--allow-read=. --allow-write=own --allow-run=cat"] {
        let all = tried_with_sources(&folder, options);
        assert_eq!(all, [format!("refused: {}", SOURCES.len()), "note: a note".to_owned()], "{options}");
    }
}

#[test]
fn a_device_in_place_of_a_key_file_is_not_protected() {
    let folder = folder("await attempt('write', () => fs.writeFileSync('/dev/null', 'x'));");
    let mut command = folder.command("run --allow-read --allow-write own/p.lmt.mjs");
    command.env("AWS_CONFIG_FILE", "/dev/null").env("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
    let outcome = Outcome::of(&mut command);
    assert_eq!(outcome.stdout.lines().next(), Some("write: undefined"), "{outcome:?}");
}

/// Variables with credentials of the program itself.
#[test]
fn variables_with_credentials_are_not_shown() {
    const HIDDEN: [(&str, &str); 20] = [
        ("AWS_SESSION_TOKEN", "a"),
        ("AWS_BEARER_TOKEN_BEDROCK", "b"),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "c"),
        ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/credentials/d"),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://localhost/e"),
        ("AZURE_CLIENT_SECRET", "f"),
        ("AZURE_CLIENT_CERTIFICATE_PASSWORD", "g"),
        ("AZURE_ACCESS_TOKEN", "h"),
        ("IDENTITY_HEADER", "i"),
        ("MSI_SECRET", "j"),
        ("CLOUDSDK_AUTH_ACCESS_TOKEN", "k"),
        ("LAB_API_KEY", "l"),
        ("LAB_API_BASE", "http://me:pass@127.0.0.1/v1"),
        ("OPENAI_BASE_URL", "http://me:pass@127.0.0.1/v1"),
        ("HTTPS_PROXY", "http://me:pass@127.0.0.1:3128"),
        ("all_proxy", "socks5://me:pass@127.0.0.1"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20m"),
        ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-team=n"),
        ("RESTATE_AUTH_TOKEN", "o"),
        ("RESTATE_INGRESS_URL", "http://me:pass@127.0.0.1:8080"),
    ];
    const SHOWN: [(&str, &str); 4] = [
        ("AWS_REGION", "eu-west-1"),
        ("HTTP_PROXY", "http://127.0.0.1:3128"),
        ("GROQ_BASE_URL", "http://127.0.0.1/v1"),
        ("DATABASE_URL", "postgres://me:mine@127.0.0.1/db"),
    ];
    let folder = folder(
        "for (const name of ['AWS_REGION', 'HTTP_PROXY', 'GROQ_BASE_URL', 'DATABASE_URL']) await attempt(name, () => process.env[name]);
  for (const name of NAMES) await attempt(name, () => process.env[name]);
  await attempt('listed', () => Object.keys(process.env).filter((name) => NAMES.includes(name)).join());
  await attempt('child', () => { const all = spawnSync('env', { encoding: 'utf8' }).stdout; return NAMES.filter((name) => all.includes(`${name}=`)).join(); });",
    );
    let names: Vec<&str> = HIDDEN.iter().map(|(name, _)| *name).collect();
    let source = std::fs::read_to_string(folder.path("own/p.lmt.mjs")).unwrap();
    folder.write("own/p.lmt.mjs", &format!("const NAMES = {names:?};\n{source}"));
    let mut command = folder.command("run --allow-env --allow-run=env own/p.lmt.mjs");
    command.env("LAB_API_TYPE", "openai").env("NO_PROXY", "*").envs(HIDDEN).envs(SHOWN);
    // Set by cargo; with such a variable only a file with every right to run programs starts one.
    command.env_remove("LD_LIBRARY_PATH");
    let outcome = Outcome::of(&mut command);
    let all: Vec<_> = outcome.stdout.lines().map(str::trim_end).filter(|line| *line != "Done.").collect();
    let shown = SHOWN.map(|(name, value)| format!("{name}: {value}"));
    let hidden = names.iter().map(|name| format!("{name}: PermissionError never"));
    let expected: Vec<String> = shown.into_iter().chain(hidden).chain(["listed:".into(), "child:".into()]).collect();
    assert_eq!(all, expected, "{outcome:?}");
}

/// Answers requests for tokens and keys; refuses the model's requests and reports their authorization.
fn vendor() -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let head: Vec<String> =
                reader.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
            let header = |wanted: &str| {
                let mut lines = head.iter().filter_map(|line| line.split_once(": "));
                lines.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.to_owned())
            };
            let length = header("content-length").map_or(0, |length| length.parse().unwrap());
            reader.by_ref().take(length).read_to_end(&mut Vec::new()).unwrap();
            let (status, body) = match head[0].split(' ').nth(1).unwrap() {
                path if path.contains("token") => ("200 OK", r#"{"access_token":"fetched-token","expires_in":3600}"#),
                "/role" if header("authorization").as_deref() == Some("container-token") => (
                    "200 OK",
                    r#"{"AccessKeyId":"ASIAROLE","SecretAccessKey":"s","Token":"t","Expiration":"2099-01-01T00:00:00Z"}"#,
                ),
                _ => {
                    sender.send(header("authorization").unwrap_or_default()).unwrap();
                    ("400 Bad Request", r#"{"message":"no"}"#)
                }
            };
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            reader.get_mut().write_all(format!("{head}{body}").as_bytes()).unwrap();
        }
    });
    (port, receiver)
}

/// What is closed to the file is read for its requests.
#[test]
fn requests_of_a_restricted_file_are_signed_with_credentials_that_it_cannot_read() {
    let (port, requests) = vendor();
    let url = |path: &str| format!("http://127.0.0.1:{port}{path}");
    let folder = folder("");
    let keys = "[default]\naws_access_key_id = AKIDFILE\naws_secret_access_key = s\n";
    folder.write("home/.aws/credentials", keys);
    folder.write("conf/aws", &keys.replace("AKIDFILE", "AKIDNAMED"));
    folder.write(
        "conf/program",
        &format!("[default]\ncredential_process = sh {}\n", folder.path("conf/keys.sh").display()),
    );
    folder.write("conf/keys.sh", r#"echo '{"Version":1,"AccessKeyId":"ASIAPRINTED","SecretAccessKey":"s"}'"#);
    folder.write("conf/container-token.txt", "container-token");
    folder.write("conf/federated.txt", "federated-token");
    let google = serde_json::json!({
        "type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r", "token_uri": url("/token"),
    });
    folder.write("home/.config/gcloud/application_default_credentials.json", &google.to_string());
    let path = |file: &str| folder.path(file).display().to_string();
    let azure = vec![
        ("AZURE_TENANT_ID", "t".to_owned()),
        ("AZURE_CLIENT_ID", "i".to_owned()),
        ("AZURE_FEDERATED_TOKEN_FILE", path("conf/federated.txt")),
        ("AZURE_AUTHORITY_HOST", url("/token")),
    ];
    let container = vec![
        ("AWS_SHARED_CREDENTIALS_FILE", "/dev/null".to_owned()),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", url("/role")),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", path("conf/container-token.txt")),
    ];
    let named =
        |file: &str| vec![("AWS_SHARED_CREDENTIALS_FILE", "/dev/null".to_owned()), ("AWS_CONFIG_FILE", path(file))];
    for (model, variables, sent) in [
        ("bedrock:m", vec![], "Credential=AKIDFILE/"),
        ("bedrock:m", named("conf/aws"), "Credential=AKIDNAMED/"),
        ("bedrock:m", named("conf/program"), "Credential=ASIAPRINTED/"),
        ("bedrock:m", container, "Credential=ASIAROLE/"),
        ("vertex:m", vec![], "Bearer fetched-token"),
        ("azure:m", azure, "Bearer fetched-token"),
    ] {
        folder.write(
            "own/asks.lmt.mjs",
            &format!("export const config = {{ model: '{model}' }}; export default ({{ $ }}) => {{ $`go`; }};"),
        );
        let mut command = folder.command("run --restrict own/asks.lmt.mjs");
        command.env("HOME", folder.path("home")).env("NO_PROXY", "*").env("AWS_EC2_METADATA_DISABLED", "true");
        for name in ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "GOOGLE_VERTEX_BASE_URL", "AZURE_BASE_URL"] {
            command.env(name, url("/model"));
        }
        command.env("GOOGLE_VERTEX_PROJECT", "p").envs(variables);
        let outcome = Outcome::of(&mut command);
        assert_eq!(outcome.code, 3, "the server refuses every question: {outcome:?}");
        let authorization = requests.try_recv().unwrap_or_else(|_| panic!("{model} was not asked: {outcome:?}"));
        assert!(authorization.contains(sent), "{model}: {authorization}");
    }
}

/// However its settings are written, a server that the file defines gets only the variables they contain.
#[test]
fn a_server_that_the_file_names_gets_no_key_of_the_user() {
    let (port, requests) = vendor();
    let folder = folder(&format!(
        "const lm = await import('lmthing');
  const baseURL = 'http://127.0.0.1:{port}/v1';
  const ask = async (model) => (await lm.runPrompt(({{ $ }}) => {{ $`go`; }}, {{ model }})).result.text;
  const all = {{
    openai: () => lm.createOpenAI({{ baseURL, azureADToken: 'x' }})('m'),
    blank: () => lm.createOpenAI({{ baseURL, apiKey: ' ' }})('m'),
    anthropic: () => lm.createAnthropic({{ baseURL, secretAccessKey: 'x' }})('m'),
    bedrock: () => lm.createBedrock({{ baseURL, secretAccessKey: 'x' }})('m'),
    signed: () => lm.createBedrock({{ baseURL, apiKey: '' }})('m'),
    half: () => lm.createBedrock({{ baseURL, accessKeyId: 'x', apiKey: '' }})('m'),
    azure: () => lm.createAzure({{ baseURL, apiKey: '' }})('m'),
    vertex: () => lm.createVertex({{ baseURL, project: 'p', apiKey: '' }})('m'),
    file: () => lm.createVertex({{ project: 'p', credentials: {{ type: 'external_account', credential_source: {{ file: 'home/.aws/credentials' }} }} }})('m'),
    nested: () => lm.createVertex({{ project: 'p', credentials: {{ source_credentials: {{ credential_source: {{ environment_id: 'aws1' }} }} }} }})('m'),
    tokens: () => lm.createVertex({{ project: 'p', credentials: {{ type: 'authorized_user', token_uri: 'http://127.0.0.2:{port}/token' }} }})('m'),
  }};
  for (const [name, model] of Object.entries(all)) await attempt(name, () => ask(model()));
  await attempt('own', () => ask(lm.createVertex({{ baseURL, project: 'p', credentials: {{ type: 'authorized_user', client_id: 'i', client_secret: 's', refresh_token: 'r', token_uri: 'http://127.0.0.1:{port}/token' }} }})('m')));"
    ));
    folder.write("home/.aws/credentials", "[default]\naws_access_key_id = AKIDFILE\naws_secret_access_key = s\n");
    let mut command = folder.command(&format!("run --allow-net=127.0.0.1:{port} own/p.lmt.mjs"));
    for name in [
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "AZURE_OPENAI_AD_TOKEN",
        "AWS_BEARER_TOKEN_BEDROCK",
        "GOOGLE_VERTEX_API_KEY",
    ] {
        command.env(name, KEY);
    }
    command.env("HOME", folder.path("home")).env("NO_PROXY", "*").env("AWS_SECRET_ACCESS_KEY", KEY);
    let outcome = Outcome::of(&mut command);
    let lines: Vec<_> = outcome.stdout.lines().filter(|line| *line != "Done.").collect();
    assert_eq!(lines.len(), 12, "{outcome:?}");
    assert!(lines[..11].iter().all(|line| line.contains(": PermissionError")), "{outcome:?}");
    let sent: Vec<String> = requests.try_iter().collect();
    assert_eq!(sent, ["Bearer fetched-token"], "{outcome:?}");
}
