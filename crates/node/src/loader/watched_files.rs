//! Reports the files other than modules that decide what an import resolves to, so that the host can watch them.

use std::path::{Path, PathBuf};

use url::Url;

use super::package::Packages;
use super::resolver::{ModuleResolver, package_name};
use super::source::{EXTENSIONS, is_typescript};
use crate::host::ScriptHost;

impl ModuleResolver {
    /// Reports the files that decide what `specifier`, in the module `base`, resolves to: the path itself, which may be
    /// a link or go through one, the package or where it would be installed, and TypeScript settings.
    pub(super) fn report_watched_files(&self, host: &dyn ScriptHost, base: &str, specifier: &str, is_found: bool) {
        if !host.is_watched() {
            return;
        }
        if let Some(path) = self.address(base, specifier).and_then(|address| file_of(&address)) {
            host.note_read(&path);
            if !is_found && is_typescript(base) {
                with_endings(&path).iter().for_each(|path| host.note_read(path));
            }
            return;
        }
        let importer = self.modules.path_of(base);
        if is_typescript(base)
            && let Some(config) = Packages::typescript_config(&importer)
        {
            host.note_read(&config);
        }
        if let Some(folder) = importer.parent().filter(|_| self.known(base, specifier).is_none()) {
            self.tell_package(host, folder, specifier, is_found);
        }
    }

    /// The same for `require` in a file of `folder`.
    pub(super) fn tell_required(&self, host: &dyn ScriptHost, folder: &Path, id: &str, is_found: bool) {
        if !host.is_watched() {
            return;
        }
        let is_path = ["./", "../", "/"].iter().any(|prefix| id.starts_with(prefix)) || id == "." || id == "..";
        match is_path {
            true => {
                let path = folder.join(id);
                host.note_read(&path);
                if !is_found {
                    with_endings(&path).iter().for_each(|path| host.note_read(path));
                }
            }
            false => self.tell_package(host, folder, id, is_found),
        }
    }

    fn tell_package(&self, host: &dyn ScriptHost, folder: &Path, specifier: &str, is_found: bool) {
        let name = package_name(specifier);
        // `#name` belongs to the package of the file; `https:` and the like are never found.
        if name.is_empty() || name.starts_with('#') || name.contains(':') {
            return;
        }
        let packages = package_folders(folder, &name);
        packages.iter().for_each(|package| host.note_read(&package.join("package.json")));
        if !is_found {
            // The package may exist but lack files that its package.json names.
            let missing = self.packages.missing(folder, specifier);
            let inside = |file: &&PathBuf| packages.iter().any(|package| file.starts_with(package));
            missing.iter().filter(inside).for_each(|file| host.note_read(file));
        }
    }
}

fn file_of(address: &str) -> Option<PathBuf> {
    Url::parse(address).ok()?.to_file_path().ok()
}

/// The file that may be meant if the extension is missing or is that of compiled code.
fn with_endings(path: &Path) -> Vec<PathBuf> {
    let ending = |ending: &&str| {
        let mut longer = path.as_os_str().to_owned();
        longer.push(format!(".{ending}"));
        [PathBuf::from(longer), path.with_extension(ending), path.join(format!("index.{ending}"))]
    };
    EXTENSIONS.iter().flat_map(ending).collect()
}

/// Where a package is found from a folder, and where one that takes precedence would be: next to the file, in the
/// working directory, and in folders that have packages or in which npm would install some.
fn package_folders(folder: &Path, name: &str) -> Vec<PathBuf> {
    let here = std::env::current_dir().ok();
    let mut found = Vec::new();
    for ancestor in folder.ancestors().filter(|ancestor| !ancestor.ends_with("node_modules")) {
        let packages = ancestor.join("node_modules");
        let package = packages.join(name);
        let is_there = package.is_dir();
        let is_likely = ancestor == folder || here.as_deref() == Some(ancestor);
        if is_there || is_likely || packages.is_dir() || ancestor.join("package.json").is_file() {
            found.push(package);
        }
        if is_there {
            break;
        }
    }
    found
}
