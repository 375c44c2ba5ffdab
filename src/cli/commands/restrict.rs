//! A restricted run: what stays shut whatever is given, and what lmthing itself has to open meanwhile. Must not know what the
//! options are.

use std::path::{Path, PathBuf};

use crate::permission::{Own, Permissions, Restricted, ShutFiles};

/// What a restricted run has to do with, beside its rights.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// The prompt file.
    pub(super) file: &'a Path,
    /// What stands behind it.
    pub(super) words: &'a [String],
    /// Files that variables were read from.
    pub(super) env_files: &'a [PathBuf],
    /// The file that names servers.
    pub(super) mcp_config: Option<&'a Path>,
    /// Where answers are recorded.
    pub(super) record: Option<&'a Path>,
    /// Folders that lmthing itself writes to as well.
    pub(super) written: &'a [PathBuf],
    /// Where runs are kept.
    pub(super) journal: &'a Path,
    pub(super) variables: &'a [(String, String)],
}

/// The rights of a restricted file, which the system holds as well from now on.
pub(super) fn restricted(rights: Restricted, around: Around<'_>) -> Permissions {
    let rights = Restricted { shut: shut_files(around), ..rights };
    rights.confine_program(&own_needs(around));
    Permissions::restricted(rights)
}

/// The same for several files that share the process: each has its own rights, `each`, and the system holds what they have
/// together, which is `all` with the folders of each.
#[cfg(feature = "worker")]
pub(super) fn restricted_all(
    all: Restricted,
    each: Vec<Restricted>,
    files: &[PathBuf],
    around: Around<'_>,
) -> Vec<Permissions> {
    let own = each.iter().flat_map(|rights| rights.own.iter().cloned()).collect();
    let mut needs = Own::default();
    for file in files {
        let Own { read, write } = own_needs(Around { file, ..around });
        needs.read.extend(read);
        needs.write.extend(write);
    }
    Restricted { own, shut: shut_files(around), ..all }.confine_program(&needs);
    let one = |rights| Permissions::restricted(Restricted { shut: shut_files(around), ..rights });
    each.into_iter().map(one).collect()
}

/// What no right opens: the files that the run has its keys from, and the journal.
fn shut_files(Around { env_files, journal, variables, .. }: Around<'_>) -> ShutFiles {
    let with_keys = env_files.iter().cloned().chain([PathBuf::from(".env")]).chain(files_with_keys(variables));
    ShutFiles::with_keys(with_keys).and_journal(journal)
}

/// Where clouds keep keys.
fn files_with_keys(variables: &[(String, String)]) -> Vec<PathBuf> {
    const NAMING: [&str; 4] = [
        "AWS_SHARED_CREDENTIALS_FILE",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AZURE_FEDERATED_TOKEN_FILE",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ];
    const AT_HOME: [&str; 2] = [".aws/credentials", ".config/gcloud/application_default_credentials.json"];
    let named = variables.iter().filter(|(name, _)| NAMING.contains(&name.as_str())).map(|(_, value)| value.into());
    let home = variables.iter().find(|(name, _)| name == "HOME").map(|(_, home)| Path::new(home));
    named.chain(home.into_iter().flat_map(|home| AT_HOME.map(|name| home.join(name)))).collect()
}

/// What lmthing itself has to open while a restricted file runs.
fn own_needs(around: Around<'_>) -> Own {
    let Around { file, words, mcp_config, record, written, journal, variables, .. } = around;
    // Itself: code that a model has written runs in a worker, servers have a keeper.
    let mut read: Vec<PathBuf> = std::env::current_exe().into_iter().collect();
    // Packages are found by the descriptions on the way up.
    for folder in
        file.canonicalize().iter().flat_map(|file| file.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>())
    {
        let descriptions = ["package.json", "tsconfig.json", "jsconfig.json"].map(|name| folder.join(name));
        // What a link leads to is asked for like any other file.
        read.extend(descriptions.into_iter().filter(|path| !path.is_symlink()));
    }
    // Texts of files as input.
    read.extend(words.iter().filter_map(|word| word.split_once('@').map(|(_, path)| PathBuf::from(path))));
    // Certificates, and credentials that providers' rules find.
    let names_a_file = |name: &str| {
        ["_FILE", "_DIR", "_CERT", "_CERTS", "_CREDENTIALS", "_BUNDLE"].iter().any(|end| name.ends_with(end))
    };
    let named = variables.iter().filter(|(name, value)| names_a_file(name) && Path::new(value).is_absolute());
    read.extend(named.map(|(_, value)| PathBuf::from(value)));
    let home = variables.iter().find(|(name, _)| name == "HOME").map(|(_, home)| PathBuf::from(home));
    read.extend(home.iter().flat_map(|home| [".aws", ".azure", ".config/gcloud"].map(|name| home.join(name))));
    // Files that name servers.
    read.extend(mcp_config.into_iter().chain([Path::new(".mcp.json")]).map(Path::to_owned));
    let folder = |file: &Path| std::path::absolute(file).ok().and_then(|file| file.parent().map(Path::to_owned));
    let mut write: Vec<PathBuf> = record.into_iter().chain([journal]).filter_map(folder).collect();
    write.extend(written.iter().cloned());
    write.extend(home.iter().map(|home| home.join(".aws/sso/cache")));
    Own { read, write }
}
