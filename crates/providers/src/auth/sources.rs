//! The table of all variables, files and folders that credentials may come from (docs/reference/permissions.md).
//!
//! `auth` reads files only by a row of this table, and restricted prompt files must not access anything in it. So a
//! new source cannot be added here and stay readable for them. Keys that are settings of a provider are in the
//! catalogue.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::request::AuthFailure;
use crate::Env;
use lmthing_system::user_file::{self, MAX_SETTINGS};

use Source::{Command, Field, Path as AtPath, Value};

enum Source {
    Value(&'static str),
    /// A file or folder: its variable, and the defaults while the variable is unset. `~` is the home directory,
    /// `%NAME%` a variable.
    Path {
        variable: &'static str,
        defaults: &'static [&'static str],
    },
    Field(&'static str),
    Command(&'static str),
}

static SOURCES: &[Source] = &[
    // AWS. The URL of a container's role is sufficient to get its keys.
    Value("AWS_CONTAINER_AUTHORIZATION_TOKEN"),
    Value("AWS_CONTAINER_CREDENTIALS_FULL_URI"),
    Value("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"),
    AtPath { variable: "AWS_CONFIG_FILE", defaults: &["~/.aws/config"] },
    AtPath { variable: "AWS_SHARED_CREDENTIALS_FILE", defaults: &["~/.aws/credentials"] },
    AtPath { variable: "AWS_WEB_IDENTITY_TOKEN_FILE", defaults: &[] },
    AtPath { variable: "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", defaults: &[] },
    AtPath { variable: "AWS_LOGIN_CACHE_DIRECTORY", defaults: &["~/.aws/login/cache"] },
    AtPath { variable: "", defaults: &["~/.aws/sso/cache"] },
    AtPath { variable: "", defaults: &["~/.aws/cli/cache"] },
    AtPath { variable: "", defaults: &["~/.aws"] },
    Field("web_identity_token_file"),
    Command("credential_process"),
    Value("AZURE_OPENAI_AD_TOKEN"),
    Value("AZURE_AD_TOKEN"),
    Value("AZURE_ACCESS_TOKEN"),
    Value("AZURE_CLIENT_SECRET"),
    Value("AZURE_CLIENT_CERTIFICATE_PASSWORD"),
    Value("AZURE_PASSWORD"),
    Value("IDENTITY_HEADER"),
    Value("MSI_SECRET"),
    AtPath { variable: "AZURE_FEDERATED_TOKEN_FILE", defaults: &[] },
    AtPath { variable: "AZURE_CLIENT_CERTIFICATE_PATH", defaults: &[] },
    AtPath { variable: "AZURE_CONFIG_DIR", defaults: &["~/.azure"] },
    Value("CLOUDSDK_AUTH_ACCESS_TOKEN"),
    Value("GOOGLE_OAUTH_ACCESS_TOKEN"),
    AtPath { variable: "GOOGLE_APPLICATION_CREDENTIALS", defaults: &[] },
    AtPath { variable: "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE", defaults: &[] },
    AtPath { variable: "CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE", defaults: &[] },
    AtPath { variable: "CLOUDSDK_CONFIG", defaults: &["%APPDATA%/gcloud", "~/.config/gcloud"] },
    Field("/credential_source/file"),
    Field("/credential_source/executable/output_file"),
    Command("/credential_source/executable/command"),
];

const SYSTEM_FOLDERS: [&str; 7] = ["/bin", "/sbin", "/usr", "/lib", "/lib64", "/opt", "/nix"];

#[derive(Clone, Debug, PartialEq)]
pub(super) struct CredentialFile(PathBuf);

impl CredentialFile {
    pub(super) fn find(env: &dyn Env, name: &str) -> Option<CredentialFile> {
        let (variable, defaults) = SOURCES.iter().find_map(|source| match source {
            AtPath { variable, defaults } => {
                (*variable == name || defaults.contains(&name)).then_some((*variable, *defaults))
            }
            _ => None,
        })?;
        let named = set(env, variable).map(|path| expanded(env, &path).unwrap_or_else(|| path.into()));
        named.or_else(|| defaults.iter().find_map(|path| expanded(env, path))).map(CredentialFile)
    }

    pub(super) fn from_field(field: &str, path: &str) -> Option<CredentialFile> {
        let is_known = |source: &Source| matches!(source, Field(known) if *known == field);
        (!path.is_empty() && SOURCES.iter().any(is_known)).then(|| CredentialFile(path.into()))
    }

    pub(super) fn join(&self, name: &str) -> CredentialFile {
        CredentialFile(self.0.join(name))
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = CredentialFile> + use<> {
        entries(&self.0).map(CredentialFile)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn bytes(&self) -> io::Result<Vec<u8>> {
        user_file::read(&self.0, MAX_SETTINGS)
    }

    pub(super) fn text(&self) -> io::Result<String> {
        user_file::read_text(&self.0, MAX_SETTINGS)
    }

    pub(super) async fn required_text(&self, what: &str) -> Result<String, AuthFailure> {
        let path = self.0.clone();
        let read = tokio::task::spawn_blocking(move || user_file::read_text(&path, MAX_SETTINGS)).await;
        read.unwrap_or_else(|error| Err(error.into())).map_err(|error| {
            AuthFailure::refused(format!("{what} names {}, which cannot be read: {error}", self.0.display()))
        })
    }

    pub(super) fn write(&self, content: &[u8]) -> io::Result<()> {
        std::fs::write(&self.0, content)
    }
}

pub(crate) fn variables() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().filter_map(|source| if let Value(name) = source { Some(*name) } else { None })
}

pub(crate) fn locates_files(name: &str) -> bool {
    let of_a_home = ["HOME", "USERPROFILE", "APPDATA"].contains(&name);
    of_a_home || SOURCES.iter().any(|source| matches!(source, AtPath { variable, .. } if *variable == name))
}

/// Every file and folder of the table, existing or not; the defaults even if a variable is set. Files in the folders
/// are listed, too, so that they are also protected under other names.
pub(super) fn paths(env: &dyn Env) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for source in SOURCES {
        let AtPath { variable, defaults } = source else { continue };
        if let Some(path) = set(env, variable).filter(|path| !is_device(Path::new(path))) {
            paths.extend(expanded(env, &path));
            paths.push(path.into());
        }
        paths.extend(defaults.iter().filter_map(|path| expanded(env, path)));
    }
    let files: Vec<_> = paths.iter().flat_map(|path| entries(path)).filter(|path| path.is_file()).collect();
    [paths, files].concat()
}

pub(super) fn files_named_in(get: impl Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for source in SOURCES {
        match source {
            Field(field) => paths.extend(get(field).filter(|path| !path.is_empty()).map(PathBuf::from)),
            Command(field) => paths.extend(get(field).iter().flat_map(|line| files_in_command_line(line))),
            Value(_) | AtPath { .. } => {}
        }
    }
    paths
}

fn files_in_command_line(line: &str) -> Vec<PathBuf> {
    let words = line.split(|c: char| c.is_whitespace() || "\"'=;|&<>()".contains(c)).map(|word| {
        let home =
            ["~/", "$HOME/", "${HOME}/"].iter().find_map(|prefix| word.strip_prefix(prefix)).zip(std::env::home_dir());
        home.map_or_else(|| PathBuf::from(word), |(rest, home)| home.join(rest))
    });
    let is_own = |path: &PathBuf| path.is_file() && !SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder));
    words.filter(is_own).collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn expanded(env: &dyn Env, path: &str) -> Option<PathBuf> {
    let (folder, rest) = match path.strip_prefix('%').and_then(|rest| rest.split_once("%/")) {
        Some((variable, rest)) => (set(env, variable)?.into(), rest),
        None => match path.strip_prefix("~/") {
            Some(rest) => (home(env)?, rest),
            None => return Some(path.into()),
        },
    };
    Some(rest.split('/').fold(folder, |path, name| path.join(name)))
}

fn home(env: &dyn Env) -> Option<PathBuf> {
    set(env, "HOME").or_else(|| set(env, "USERPROFILE")).map(PathBuf::from)
}

fn set(env: &dyn Env, name: &str) -> Option<String> {
    env.get(name).filter(|value| !value.trim().is_empty())
}

/// A device such as `/dev/null` stands for "no file" and must stay usable.
fn is_device(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        path.metadata().is_ok_and(|found| found.file_type().is_char_device())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs};

    use super::*;

    fn text_of(path: &str) -> String {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
    }

    #[test]
    fn files_without_a_row_are_not_read() {
        let env = BTreeMap::from([("AWS_OTHER_FILE".to_owned(), "/etc/hostname".to_owned())]);
        assert_eq!(CredentialFile::find(&env, "AWS_OTHER_FILE"), None);
        assert_eq!(CredentialFile::from_field("/credential_source/other", "/etc/hostname"), None);
    }

    /// Another way to open files could read one that restricted prompt files are not kept from.
    #[test]
    fn other_files_of_auth_open_no_files() {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/auth")];
        let mut checked_files = 0;
        while let Some(folder) = folders.pop() {
            for path in entries(&folder) {
                if path.is_dir() {
                    folders.push(path);
                } else if !path.ends_with("sources.rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    let code = text.split("#[cfg(test)]").next().unwrap_or_default().replace("CredentialFile::", "");
                    for word in
                        ["fs::read", "fs::{", "use std::fs", "use tokio::fs", "File::", "OpenOptions", "Fs::real"]
                    {
                        assert!(!code.contains(word), "{}: {word}", path.display());
                    }
                    checked_files += 1;
                }
            }
        }
        assert!(checked_files > 20, "{checked_files}");
    }

    #[test]
    fn the_document_names_every_source() {
        let page = text_of("docs/reference/permissions.md");
        let names = |name: &str| name.is_empty() || page.contains(&format!("`{name}`"));
        for source in SOURCES {
            match source {
                Value(name) => assert!(names(name), "{name}"),
                AtPath { variable, defaults } => {
                    assert!(names(variable), "{variable}");
                    defaults
                        .iter()
                        .for_each(|path| assert!(names(path) || names("~/.aws") && path.starts_with("~/.aws/")));
                }
                Field(field) | Command(field) => {
                    let field = field.trim_start_matches('/').replace('/', ".");
                    assert!(names(&field), "{field}");
                }
            }
        }
    }

    #[test]
    fn files_of_a_command_line_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        fs::write(&path, "").unwrap();
        let shown = path.display();
        for line in
            [format!("cat {shown}"), format!("sh -c 'cat \"{shown}\"; true'"), format!("get --from={shown} /bin/sh")]
        {
            assert_eq!(files_in_command_line(&line), [path.as_path()], "{line}");
        }
        assert!(files_in_command_line("/bin/sh -c true").is_empty());
    }
}
