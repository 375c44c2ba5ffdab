//! The permissions of restricted commands: which files are protected, and which lmthing itself needs.

use std::path::{Path, PathBuf};

use crate::cli::setup_args::SetupArgs;
use lmthing_base::{
    cost::PRICES_VARIABLE,
    permission::{OwnPaths, Permissions, ProtectedFiles, Restricted},
};
use lmthing_providers::{certificate_paths, key_paths};
use lmthing_store::journal::JOURNAL_VARIABLE;

/// The variable for a folder of certificates, which the TLS library reads by itself.
const CERTIFICATE_FOLDER: &str = "SSL_CERT_DIR";

/// The options and files of a command that determine which files are protected or needed.
#[derive(Clone, Copy)]
pub(super) struct CommandContext<'a> {
    pub(super) file: &'a Path,
    pub(super) arguments: &'a [String],
    pub(super) setup: &'a SetupArgs,
    /// The file that `--record` or `map --output` writes.
    pub(super) record: Option<&'a Path>,
    pub(super) replay: Option<&'a Path>,
    pub(super) written: &'a [PathBuf],
    pub(super) journal: &'a Path,
    pub(super) variables: &'a [(String, String)],
}

/// Builds the permissions of a restricted file; from now on the kernel enforces them as well.
pub(super) fn restricted(rights: Restricted, context: CommandContext<'_>) -> Permissions {
    let keys = key_paths(context.variables);
    let rights = Restricted { protected: protected_files(context, &keys), ..rights };
    rights.find_protected_files();
    rights.confine_process(&own_needs(context, &keys));
    Permissions::restricted(rights)
}

/// A warning for each writable folder in which programs cannot create files.
pub(super) fn folder_warnings(permissions: &Permissions) -> Vec<String> {
    let folders = permissions.restricted_rights().map(|rights| rights.partly_writable_folders()).unwrap_or_default();
    let warning = |folder: &PathBuf| {
        let folder = folder.display();
        format!(
            "programs cannot create, move or remove files in {folder} itself, because lmthing looks for its own files there; give \
             them a folder below it, such as --allow-write={folder}/out"
        )
    };
    folders.iter().map(warning).collect()
}

/// Like [`restricted`], for several files that share the process: each has its own rights, `each`. The kernel enforces their union,
/// which is `all` with the folders of each.
pub(super) fn restricted_all(
    all: Restricted,
    each: Vec<Restricted>,
    files: &[PathBuf],
    context: CommandContext<'_>,
) -> Vec<Permissions> {
    let keys = key_paths(context.variables);
    let own = each.iter().flat_map(|rights| rights.own.iter().cloned()).collect();
    let restrict = |(rights, file): (Restricted, &PathBuf)| {
        let rights = Restricted { protected: protected_files(CommandContext { file, ..context }, &keys), ..rights };
        rights.find_protected_files();
        Permissions::restricted(rights)
    };
    let each = each.into_iter().zip(files).map(restrict).collect();
    let mut needs = OwnPaths::default();
    for file in files {
        let OwnPaths { read, write } = own_needs(CommandContext { file, ..context }, &keys);
        needs.read.extend(read);
        needs.write.extend(write);
    }
    Restricted { own, protected: protected_files(context, &keys), ..all }.confine_process(&needs);
    each
}

/// The protected files: those with keys, the journal, and those that this command or a later one trusts. Files that are protected
/// by their name are in `permission/names`.
fn protected_files(context: CommandContext<'_>, keys: &[PathBuf]) -> ProtectedFiles {
    let CommandContext { file, setup, record, replay, journal, variables, .. } = context;
    let variable =
        |wanted: &str| variables.iter().find(|(name, _)| name == wanted).map(|(_, value)| PathBuf::from(value));
    let with_keys = setup.env_file.iter().cloned().chain([PathBuf::from(".env")]).chain(keys.iter().cloned());
    let named =
        [setup.mcp_config.as_deref(), setup.mock.as_deref(), record, replay].into_iter().flatten().map(Path::to_owned);
    // A server with a trusted certificate receives API keys.
    let unchanged = named
        .chain([PRICES_VARIABLE, CERTIFICATE_FOLDER].into_iter().filter_map(variable))
        .chain(certificate_paths(variables));
    let protected = ProtectedFiles::with_keys(with_keys).with_journal(journal).with_unchanged(unchanged);
    let protected =
        variable(JOURNAL_VARIABLE).iter().fold(protected, |protected, journal| protected.with_journal(journal));
    let folder = file.canonicalize().ok().and_then(|file| file.parent().map(Path::to_owned));
    protected.with_search_folders(folder.into_iter().chain([PathBuf::from(".")]))
}

/// The files that lmthing itself needs while a restricted file runs.
fn own_needs(context: CommandContext<'_>, keys: &[PathBuf]) -> OwnPaths {
    let CommandContext { file, arguments, setup, record, written, journal, variables, .. } = context;
    // The binary: it is started again for model-written code and for MCP servers.
    let mut read: Vec<PathBuf> = std::env::current_exe().into_iter().collect();
    // Module resolution reads these in every folder above.
    for folder in
        file.canonicalize().iter().flat_map(|file| file.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>())
    {
        let descriptions = ["package.json", "tsconfig.json", "jsconfig.json"].map(|name| folder.join(name));
        // The target of a link needs the right to read it.
        read.extend(descriptions.into_iter().filter(|path| !path.is_symlink()));
    }
    // Arguments of the form `@file`.
    read.extend(arguments.iter().filter_map(|argument| argument.split_once('@').map(|(_, path)| PathBuf::from(path))));
    // Certificates and credentials.
    let names_a_file = |name: &str| {
        ["_FILE", "_DIR", "_CERT", "_CERTS", "_CREDENTIALS", "_BUNDLE"].iter().any(|end| name.ends_with(end))
    };
    let named = variables.iter().filter(|(name, value)| names_a_file(name) && Path::new(value).is_absolute());
    read.extend(named.map(|(_, value)| PathBuf::from(value)));
    let home = variables.iter().find(|(name, _)| name == "HOME").map(|(_, home)| PathBuf::from(home));
    read.extend(keys.iter().cloned());
    read.extend(setup.mcp_config.iter().cloned().chain([PathBuf::from(".mcp.json")]));
    let folder = |file: &Path| std::path::absolute(file).ok().and_then(|file| file.parent().map(Path::to_owned));
    let mut write: Vec<PathBuf> = record.into_iter().chain([journal]).filter_map(folder).collect();
    write.extend(written.iter().cloned());
    write.extend(home.iter().map(|home| home.join(".aws/sso/cache")));
    OwnPaths { read, write }
}
