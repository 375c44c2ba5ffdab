//! Enforces file permissions by the kernel (landlock, on Linux). For lmthing itself this is a second check, which also catches
//! links that change after the first. For programs that a restricted file starts it is the only one.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    Grant, Restricted,
    protected::{Folders, ProgramExclusions},
};

/// Paths that lmthing itself needs, in addition to those of the prompt file.
#[derive(Clone, Debug, Default)]
pub struct OwnPaths {
    /// Certificates and credentials for providers.
    pub read: Vec<PathBuf>,
    /// The journal and a recording.
    pub write: Vec<PathBuf>,
}

/// The file permissions of a program that a restricted file starts. Serialized for the process that starts MCP servers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileRights {
    read: Grant<PathBuf>,
    /// Paths that may always be read.
    own: Vec<PathBuf>,
    write: Grant<PathBuf>,
    /// Protected paths with everything below them; `true` if the path may be read.
    #[serde(rename = "shut")]
    protected: Vec<(PathBuf, bool)>,
    /// Folders with protected files, in which nothing may be created, moved or removed; `true` if all of those files may be
    /// read.
    folders: Folders,
}

impl FileRights {
    /// Allows the program itself to be read.
    #[must_use]
    pub fn and_program(mut self, file: &str) -> Self {
        let file = Path::new(file);
        self.own.push(file.canonicalize().unwrap_or_else(|_| file.to_owned()));
        self
    }

    /// Restricts this thread and the programs that it starts from now on. On an error the program must not be started.
    pub fn confine(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            linux::confine(self, &OwnPaths::default(), linux::ConfinedProcess::Programs)?;
            super::system_calls::confine()
        }
        #[cfg(not(target_os = "linux"))]
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Whether the kernel can restrict programs: Linux 5.13 or newer with landlock.
pub fn can_confine_programs() -> bool {
    #[cfg(target_os = "linux")]
    {
        linux::is_available()
    }
    #[cfg(not(target_os = "linux"))]
    false
}

impl Restricted {
    /// Restricts this thread, and those that it starts from now on, to these rights and the paths that lmthing needs.
    pub fn confine_process(&self, own: &OwnPaths) {
        #[cfg(target_os = "linux")]
        {
            let rights = self.file_rights(ProgramExclusions::default());
            // Not an error without landlock: every access is also checked before it is made.
            let _ = linux::confine(&rights, own, linux::ConfinedProcess::Ourselves);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = own;
    }

    /// The permissions of programs that the file starts: those of the file, without protected files.
    pub fn program_rights(&self) -> FileRights {
        let folders = self.own.iter().chain(self.read.listed()).chain(self.write.listed());
        self.file_rights(self.protected.for_programs(folders))
    }

    /// Finds the protected files in the folders that programs may use, if any may be started. Must be called before the script runs,
    /// which could hide some.
    pub fn find_protected_files(&self) {
        if self.run != Grant::default() {
            self.program_rights();
        }
    }

    /// Writable folders in which programs cannot create, move or remove anything.
    pub fn partly_writable_folders(&self) -> Vec<PathBuf> {
        if self.run == Grant::default() || self.write.listed().is_empty() {
            return Vec::new();
        }
        let FileRights { protected, folders, .. } = self.program_rights();
        let has_protected_entry = |folder: &PathBuf| protected.iter().any(|(path, _)| path.parent() == Some(folder));
        let listed = self.write.listed().iter();
        listed.filter(|folder| folders.contains_key(*folder) || has_protected_entry(folder)).cloned().collect()
    }

    fn file_rights(&self, protected: ProgramExclusions) -> FileRights {
        let programs = match &self.run {
            // All programs: the folders of `PATH`.
            Grant::All => self.programs.folders(),
            Grant::Only(list) => list,
        };
        let programs = programs.iter().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
        let own = self.own.iter().cloned().chain(programs).collect();
        let ProgramExclusions { paths, folders } = protected;
        FileRights { read: self.read.clone(), own, write: self.write.clone(), protected: paths, folders }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        collections::HashSet,
        fs::{self, File},
        io,
        path::{Path, PathBuf},
    };

    use landlock::{
        ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr, RulesetCreated,
        RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    };

    use rustix::fs::{Mode, OFlags, ResolveFlags};

    use super::{
        super::{Grant, protected, protected_names},
        FileRights, OwnPaths,
    };

    /// What every program may read: programs, libraries and their settings, devices without contents.
    const SYSTEM: &[&str] = &[
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/usr",
        "/etc",
        "/opt",
        "/nix/store",
        "/run/systemd/resolve",
        "/run/resolvconf",
        "/dev/urandom",
        "/dev/random",
        "/dev/zero",
        // About the machine, not about processes.
        "/proc/cpuinfo",
        "/proc/filesystems",
        "/proc/loadavg",
        "/proc/meminfo",
        "/proc/stat",
        "/proc/uptime",
        "/proc/version",
    ];

    /// Devices that every program may read and write.
    const DEVICES: &[&str] = &["/dev/null", "/dev/tty", "/dev/full"];

    /// Devices that only lmthing may use, as other terminals of the user are among them.
    const TERMINALS: &[&str] = &["/dev/pts", "/dev/ptmx"];

    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) enum ConfinedProcess {
        Ourselves,
        /// A program that a script starts: nothing else checks it.
        Programs,
    }

    pub(super) fn confine(rights: &FileRights, own: &OwnPaths, who: ConfinedProcess) -> io::Result<()> {
        match restrict(rights, own, who).map_err(io::Error::other)? {
            RulesetStatus::NotEnforced => Err(io::ErrorKind::Unsupported.into()),
            // Older kernels enforce a part, which docs/reference/permissions.md describes.
            RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
        }
    }

    pub(super) fn is_available() -> bool {
        let first = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        first.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
    }

    fn restrict(rights: &FileRights, own: &OwnPaths, who: ConfinedProcess) -> Result<RulesetStatus, RulesetError> {
        // `ProgramFolders` decides which programs are started.
        let handled = AccessFs::from_all(ABI::V5) & !(AccessFs::Execute | AccessFs::IoctlDev);
        let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(handled)?;
        if who == ConfinedProcess::Programs {
            // No signals to processes outside, no abstract sockets: enforced by Linux 6.12 and newer.
            ruleset = ruleset.scope(Scope::from_all(ABI::V6))?;
        }
        let ruleset = ruleset.create()?;
        let mut rules =
            Rules { ruleset, limits: (who == ConfinedProcess::Programs).then(|| Limits::new(rights)), handled };
        let read = rules.reading();
        // lmthing lists writable folders to find protected files; a listing by a script is refused before.
        let listing = if who == ConfinedProcess::Ourselves { AccessFs::ReadDir.into() } else { BitFlags::empty() };
        let write = rules.writing() | listing;
        for path in SYSTEM.iter().map(PathBuf::from).chain(own.read.iter().cloned()) {
            // These may contain links, which `Rules::open` would refuse.
            rules.allow(&path.canonicalize().unwrap_or(path), read)?;
        }
        for path in rights.own.iter().chain(rights.read.listed()) {
            rules.allow(path, read)?;
        }
        for path in rights.write.listed() {
            rules.allow(path, write)?;
        }
        for path in DEVICES.iter().map(PathBuf::from).chain(own.write.iter().cloned()) {
            rules.allow_whole(&path, read | write)?;
        }
        if who == ConfinedProcess::Ourselves {
            for terminal in TERMINALS {
                rules.allow_whole(Path::new(terminal), read | write)?;
            }
            // To find the child processes of child processes.
            rules.allow_whole(Path::new("/proc"), read)?;
        }
        if rights.read == Grant::All {
            rules.allow(Path::new("/"), read)?;
        }
        if rights.write == Grant::All {
            rules.allow(Path::new("/"), write)?;
        }
        rules.ruleset.restrict_self().map(|status| status.ruleset)
    }

    /// Exceptions below the folders that a program may use.
    struct Limits<'a> {
        protected: &'a [(PathBuf, bool)],
        /// Device and inode of those that may not be read, so that hard links to them are excluded as well.
        identities: HashSet<(u64, u64)>,
        /// Folders with a file that may not be read, and all folders above: their entries get the right to read one by one.
        split_for_reading: HashSet<PathBuf>,
        /// The same for writing: folders that contain a protected file or could get one, and all folders above.
        split_for_writing: HashSet<PathBuf>,
    }

    impl<'a> Limits<'a> {
        fn new(rights: &'a FileRights) -> Self {
            let folders = || rights.folders.iter().map(|(folder, is_readable)| (folder.as_path(), *is_readable));
            let parents =
                || rights.protected.iter().filter_map(|(path, is_readable)| Some((path, path.parent()?, *is_readable)));
            let unreadable = || rights.protected.iter().filter(|(_, is_readable)| !is_readable).map(|(path, _)| path);
            // A missing file cannot be read, and programs cannot create it.
            let hidden = parents().filter(|(path, _, is_readable)| !is_readable && path.exists());
            let with_hidden = folders().filter(|(_, is_readable)| !is_readable).map(|(folder, _)| folder);
            Limits {
                protected: &rights.protected,
                identities: unreadable().filter_map(|path| protected::identity_at(path)).collect(),
                split_for_reading: with_ancestors(hidden.map(|(_, parent, _)| parent).chain(with_hidden)),
                split_for_writing: with_ancestors(
                    parents().map(|(_, parent, _)| parent).chain(folders().map(|(folder, _)| folder)),
                ),
            }
        }

        /// The part of these rights that a path gets.
        fn remaining(&self, path: &Path, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
            let named = self
                .protected
                .iter()
                .filter(|(protected, _)| path.starts_with(protected))
                .map(|(_, is_readable)| *is_readable);
            let by_name = protected_names::protection(path).map(|protected| protected.is_readable);
            let by_identity = || protected::identity_at(path).is_some_and(|found| self.identities.contains(&found));
            match named.chain(by_name).min() {
                Some(false) => BitFlags::empty(),
                _ if is_process(path) || by_identity() => BitFlags::empty(),
                Some(true) => access & AccessFs::from_read(ABI::V5),
                None if protected_names::is_kernel_path(path) => access & AccessFs::from_read(ABI::V5),
                None => access,
            }
        }

        fn is_split(&self, path: &Path, access: BitFlags<AccessFs>) -> bool {
            // Only processes are excluded from `/proc`, and those are its direct entries.
            let is_in_proc = path.starts_with("/proc") && path != Path::new("/proc");
            let is_writing = access.intersects(AccessFs::from_write(ABI::V5));
            let split = if is_writing { &self.split_for_writing } else { &self.split_for_reading };
            !is_in_proc && (split.contains(path) || protected_names::is_journal_folder(path))
        }
    }

    /// Folders with all above them, and `/proc`, which contains the environment of every process.
    fn with_ancestors<'a>(folders: impl Iterator<Item = &'a Path>) -> HashSet<PathBuf> {
        folders.chain([Path::new("/proc")]).flat_map(Path::ancestors).map(Path::to_owned).collect()
    }

    fn open(path: &Path, resolve: ResolveFlags) -> Option<File> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        rustix::fs::openat2(rustix::fs::CWD, path, flags, Mode::empty(), resolve).ok().map(File::from)
    }

    fn is_process(path: &Path) -> bool {
        path.strip_prefix("/proc").is_ok_and(|rest| {
            let name = rest.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
            name.is_some_and(|name| name.contains("self") || name.bytes().all(|byte| byte.is_ascii_digit()))
        })
    }

    struct Rules<'a> {
        ruleset: RulesetCreated,
        /// `None` for lmthing itself.
        limits: Option<Limits<'a>>,
        handled: BitFlags<AccessFs>,
    }

    impl Rules<'_> {
        fn reading(&self) -> BitFlags<AccessFs> {
            AccessFs::from_read(ABI::V5) & self.handled
        }

        fn writing(&self) -> BitFlags<AccessFs> {
            // Device nodes would give root access to whole disks.
            AccessFs::from_write(ABI::V5) & self.handled & !(AccessFs::MakeBlock | AccessFs::MakeChar)
        }

        /// Allows access to everything below a path except protected files.
        ///
        /// Landlock cannot revoke a right below a folder that has it, and has no right to create some names but not others. So a folder
        /// with a protected file can be listed, its other entries get the rights one by one, and nothing can be created, moved or
        /// removed in the folder itself.
        fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), RulesetError> {
            let Some(limits) = &self.limits else { return self.allow_whole(path, access) };
            let access = limits.remaining(path, access);
            if !limits.is_split(path, access) {
                return self.allow_whole(path, access);
            }
            if path != Path::new("/") && path != Path::new("/proc") {
                self.allow_whole(path, access & AccessFs::ReadDir)?;
            }
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink())) {
                self.allow(&entry.path(), access)?;
            }
            Ok(())
        }

        /// For programs no links are followed: the script may have created one after the path was resolved.
        fn open(&self, path: &Path) -> Option<File> {
            let is_real = self.limits.is_some() && !DEVICES.iter().any(|device| path == Path::new(device));
            open(path, if is_real { ResolveFlags::NO_SYMLINKS } else { ResolveFlags::empty() })
        }

        fn allow_whole(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), RulesetError> {
            // A path that does not exist needs no rule.
            let Some(opened) = self.open(path) else { return Ok(()) };
            let is_folder = opened.metadata().is_ok_and(|found| found.is_dir());
            let access = if is_folder { access } else { access & AccessFs::from_file(ABI::V5) };
            if access.is_empty() {
                return Ok(());
            }
            (&mut self.ruleset).add_rule(PathBeneath::new(opened, access)).map(drop)
        }
    }
}
