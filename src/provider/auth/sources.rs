//! Where credentials may come from: every variable, file and folder, in one table.
//!
//! Owns: the table, and reading the files. `auth` can read a file only by its row, and a restricted prompt file is refused
//! whatever has a row (docs/permissions.md), so that a new source cannot be read here and stay open there. Keys that are
//! settings of a provider have their variables in the catalogue. Must not know: what a file contains.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::request::AuthFailure;
use crate::{
    provider::Env,
    user_file::{self, MAX_SETTINGS},
};

use Source::{Command, Field, Path as AtPath, Value};

/// A place that a credential may come from.
enum Source {
    /// A variable that is a credential, or all it takes to get one.
    Value(&'static str),
    /// A file, or a folder with everything in it: the variable that names it, if one does, and where it is unless the variable
    /// is set. `~` is the home directory, `%NAME%` a variable.
    Path { variable: &'static str, usual: &'static [&'static str] },
    /// A field of a credentials file, or a setting of a profile, that names a file.
    Field(&'static str),
    /// One that is a command line, in which files may be named.
    Command(&'static str),
}

static SOURCES: &[Source] = &[
    // AWS. The address of a container's role is enough to get its keys.
    Value("AWS_CONTAINER_AUTHORIZATION_TOKEN"),
    Value("AWS_CONTAINER_CREDENTIALS_FULL_URI"),
    Value("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"),
    AtPath { variable: "AWS_CONFIG_FILE", usual: &["~/.aws/config"] },
    AtPath { variable: "AWS_SHARED_CREDENTIALS_FILE", usual: &["~/.aws/credentials"] },
    AtPath { variable: "AWS_WEB_IDENTITY_TOKEN_FILE", usual: &[] },
    AtPath { variable: "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", usual: &[] },
    AtPath { variable: "AWS_LOGIN_CACHE_DIRECTORY", usual: &["~/.aws/login/cache"] },
    AtPath { variable: "", usual: &["~/.aws/sso/cache"] },
    AtPath { variable: "", usual: &["~/.aws/cli/cache"] },
    AtPath { variable: "", usual: &["~/.aws"] },
    Field("web_identity_token_file"),
    Command("credential_process"),
    // Azure.
    Value("AZURE_OPENAI_AD_TOKEN"),
    Value("AZURE_AD_TOKEN"),
    Value("AZURE_ACCESS_TOKEN"),
    Value("AZURE_CLIENT_SECRET"),
    Value("AZURE_CLIENT_CERTIFICATE_PASSWORD"),
    Value("AZURE_PASSWORD"),
    Value("IDENTITY_HEADER"),
    Value("MSI_SECRET"),
    AtPath { variable: "AZURE_FEDERATED_TOKEN_FILE", usual: &[] },
    AtPath { variable: "AZURE_CLIENT_CERTIFICATE_PATH", usual: &[] },
    AtPath { variable: "AZURE_CONFIG_DIR", usual: &["~/.azure"] },
    // Google.
    Value("CLOUDSDK_AUTH_ACCESS_TOKEN"),
    Value("GOOGLE_OAUTH_ACCESS_TOKEN"),
    AtPath { variable: "GOOGLE_APPLICATION_CREDENTIALS", usual: &[] },
    AtPath { variable: "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE", usual: &[] },
    AtPath { variable: "CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE", usual: &[] },
    AtPath { variable: "CLOUDSDK_CONFIG", usual: &["%APPDATA%/gcloud", "~/.config/gcloud"] },
    Field("/credential_source/file"),
    Field("/credential_source/executable/output_file"),
    Command("/credential_source/executable/command"),
];

/// Folders with programs of the system, which hold no keys.
const PROGRAMS: [&str; 7] = ["/bin", "/sbin", "/usr", "/lib", "/lib64", "/opt", "/nix"];

/// A file or folder of the table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KeyFile(PathBuf);

impl KeyFile {
    /// What the row of this variable, or of this usual place, leads to. `None` without such a row as well.
    pub(super) fn find(env: &dyn Env, name: &str) -> Option<KeyFile> {
        let (variable, usual) = SOURCES.iter().find_map(|source| match source {
            AtPath { variable, usual } => (*variable == name || usual.contains(&name)).then_some((*variable, *usual)),
            _ => None,
        })?;
        let named = set(env, variable).map(|path| expanded(env, &path).unwrap_or_else(|| path.into()));
        named.or_else(|| usual.iter().find_map(|path| expanded(env, path))).map(KeyFile)
    }

    /// The file that this field or setting names; `None` if the table has no such field.
    pub(super) fn named_by(field: &str, path: &str) -> Option<KeyFile> {
        let is_known = |source: &Source| matches!(source, Field(known) if *known == field);
        (!path.is_empty() && SOURCES.iter().any(is_known)).then(|| KeyFile(path.into()))
    }

    /// A file or folder in this folder.
    pub(super) fn join(&self, name: &str) -> KeyFile {
        KeyFile(self.0.join(name))
    }

    /// The files in this folder.
    pub(super) fn entries(&self) -> impl Iterator<Item = KeyFile> + use<> {
        entries(&self.0).map(KeyFile)
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

    /// The text of a file that has to be there; `what` names it to people.
    pub(super) async fn needed(&self, what: &str) -> Result<String, AuthFailure> {
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

/// The variables that are credentials.
pub(in crate::provider) fn variables() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().filter_map(|source| if let Value(name) = source { Some(*name) } else { None })
}

/// Whether files with credentials are found by this variable.
pub(in crate::provider) fn leads_to_files(name: &str) -> bool {
    let of_a_home = ["HOME", "USERPROFILE", "APPDATA"].contains(&name);
    of_a_home || SOURCES.iter().any(|source| matches!(source, AtPath { variable, .. } if *variable == name))
}

/// Every file and folder of the table, whether there is something or not; where a variable names one, the usual places too.
/// Files in the folders are listed, so that they are known by other names as well.
pub(super) fn paths(env: &dyn Env) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for source in SOURCES {
        let AtPath { variable, usual } = source else { continue };
        if let Some(path) = set(env, variable).filter(|path| !is_device(Path::new(path))) {
            paths.extend(expanded(env, &path));
            paths.push(path.into());
        }
        paths.extend(usual.iter().filter_map(|path| expanded(env, path)));
    }
    let files: Vec<_> = paths.iter().flat_map(|path| entries(path)).filter(|path| path.is_file()).collect();
    [paths, files].concat()
}

/// The files that credentials name themselves; `get` gives the value of a field or setting.
pub(super) fn named_in(get: impl Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for source in SOURCES {
        match source {
            Field(field) => paths.extend(get(field).filter(|path| !path.is_empty()).map(PathBuf::from)),
            Command(field) => paths.extend(get(field).iter().flat_map(|line| files_of(line))),
            Value(_) | AtPath { .. } => {}
        }
    }
    paths
}

/// The files that a command line names: scripts with keys in them, files that a program prints.
fn files_of(line: &str) -> Vec<PathBuf> {
    let words = line.split(|c: char| c.is_whitespace() || "\"'=;|&<>()".contains(c)).map(|word| {
        // As a shell expands it.
        let home =
            ["~/", "$HOME/", "${HOME}/"].iter().find_map(|prefix| word.strip_prefix(prefix)).zip(std::env::home_dir());
        home.map_or_else(|| PathBuf::from(word), |(rest, home)| home.join(rest))
    });
    let is_own = |path: &PathBuf| path.is_file() && !PROGRAMS.iter().any(|folder| path.starts_with(folder));
    words.filter(is_own).collect()
}

/// What is in a folder; nothing if it is none.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// `~/…` and `%NAME%/…` as a path, if there is such a folder; other paths as they are.
fn expanded(env: &dyn Env, path: &str) -> Option<PathBuf> {
    let (folder, rest) = match path.strip_prefix('%').and_then(|rest| rest.split_once("%/")) {
        Some((variable, rest)) => (set(env, variable)?.into(), rest),
        None => match path.strip_prefix("~/") {
            Some(rest) => (home(env)?, rest),
            None => return Some(path.into()),
        },
    };
    // Each name by itself, so that all separators are the system's.
    Some(rest.split('/').fold(folder, |path, name| path.join(name)))
}

fn home(env: &dyn Env) -> Option<PathBuf> {
    set(env, "HOME").or_else(|| set(env, "USERPROFILE")).map(PathBuf::from)
}

/// The value of a variable; set but empty counts as unset.
fn set(env: &dyn Env, name: &str) -> Option<String> {
    env.get(name).filter(|value| !value.trim().is_empty())
}

/// A device such as `/dev/null`, which stands for "no file" and must stay usable.
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
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
    }

    #[test]
    fn what_has_no_row_is_not_read() {
        let env = BTreeMap::from([("AWS_OTHER_FILE".to_owned(), "/etc/hostname".to_owned())]);
        assert_eq!(KeyFile::find(&env, "AWS_OTHER_FILE"), None);
        assert_eq!(KeyFile::named_by("/credential_source/other", "/etc/hostname"), None);
    }

    /// Whatever opens a file otherwise could open one that a restricted prompt file is not kept from.
    #[test]
    fn nothing_else_in_here_opens_files() {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/provider/auth")];
        let mut looked_at = 0;
        while let Some(folder) = folders.pop() {
            for path in entries(&folder) {
                if path.is_dir() {
                    folders.push(path);
                } else if !path.ends_with("sources.rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    let code = text.split("#[cfg(test)]").next().unwrap_or_default().replace("KeyFile::", "");
                    for word in
                        ["fs::read", "fs::{", "use std::fs", "use tokio::fs", "File::", "OpenOptions", "Fs::real"]
                    {
                        assert!(!code.contains(word), "{}: {word}", path.display());
                    }
                    looked_at += 1;
                }
            }
        }
        assert!(looked_at > 20, "{looked_at}");
    }

    #[test]
    fn the_document_names_every_source() {
        let page = text_of("docs/reference/permissions.md");
        let names = |name: &str| name.is_empty() || page.contains(&format!("`{name}`"));
        for source in SOURCES {
            match source {
                Value(name) => assert!(names(name), "{name}"),
                AtPath { variable, usual } => {
                    assert!(names(variable), "{variable}");
                    usual
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
            assert_eq!(files_of(&line), [path.as_path()], "{line}");
        }
        assert!(files_of("/bin/sh -c true").is_empty());
    }
}
