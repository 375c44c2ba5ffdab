//! Enforces the permissions for files by the kernel (landlock, on Linux). For lmthing itself this is a second check, which also
//! catches links that change after the first. For programs that a restricted file starts it is the only one.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    Reach, Restricted,
    shut::{Folders, ShutForPrograms},
};

/// Paths that lmthing itself needs, in addition to those of the prompt file.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Files and folders that it reads: certificates, credentials for providers.
    pub read: Vec<PathBuf>,
    /// Files and folders that it writes: the journal, a recording.
    pub write: Vec<PathBuf>,
}

/// The file permissions of a program that a restricted file starts. Serialized for the process that starts MCP servers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileRights {
    read: Reach<PathBuf>,
    /// What may always be read.
    own: Vec<PathBuf>,
    write: Reach<PathBuf>,
    /// Protected paths with everything below them; `true` if the path may be read.
    shut: Vec<(PathBuf, bool)>,
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

    /// Restricts this thread, and the programs that it starts from now on, to these permissions.
    ///
    /// # Errors
    /// The kernel does not enforce them. The program must not be started then.
    pub fn confine(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            linux::confine(self, &Own::default(), linux::Who::Programs)?;
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
        linux::is_there()
    }
    #[cfg(not(target_os = "linux"))]
    false
}

impl Restricted {
    /// Restricts this thread, and those that it starts from now on, to these rights and to what lmthing itself needs.
    pub fn confine_program(&self, own: &Own) {
        #[cfg(target_os = "linux")]
        {
            let rights = self.rights_of_files(ShutForPrograms::default());
            // Not an error without landlock: every access is checked before it is made as well.
            let _ = linux::confine(&rights, own, linux::Who::Ourselves);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = own;
    }

    /// The permissions of programs that the file starts: those of the file, without protected files.
    pub fn of_programs(&self) -> FileRights {
        let folders = self.own.iter().chain(self.read.listed()).chain(self.write.listed());
        self.rights_of_files(self.shut.for_programs(folders))
    }

    /// Finds the protected files in the folders that programs may use, if any may be started. To be called before the script runs,
    /// which could hide some.
    pub fn look_for_shut_files(&self) {
        if self.run != Reach::default() {
            self.of_programs();
        }
    }

    /// Folders that were given for writing, but in which programs cannot create, move or remove anything.
    pub fn not_given_whole(&self) -> Vec<PathBuf> {
        if self.run == Reach::default() || self.write.listed().is_empty() {
            return Vec::new();
        }
        let FileRights { shut, folders, .. } = self.of_programs();
        let holds_one = |folder: &PathBuf| shut.iter().any(|(path, _)| path.parent() == Some(folder));
        let listed = self.write.listed().iter();
        listed.filter(|folder| folders.contains_key(*folder) || holds_one(folder)).cloned().collect()
    }

    fn rights_of_files(&self, shut: ShutForPrograms) -> FileRights {
        let programs = match &self.run {
            // All programs: the folders of `PATH`.
            Reach::All => self.programs.folders(),
            Reach::Only(list) => list,
        };
        let programs = programs.iter().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
        let own = self.own.iter().cloned().chain(programs).collect();
        let ShutForPrograms { paths, folders } = shut;
        FileRights { read: self.read.clone(), own, write: self.write.clone(), shut: paths, folders }
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
        super::{Reach, names, shut},
        FileRights, Own,
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
        // Facts about the machine, but not about processes.
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

    /// Devices that only lmthing may use: other terminals of the user are among them.
    const TERMINALS: &[&str] = &["/dev/pts", "/dev/ptmx"];

    /// Which process is restricted.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) enum Who {
        /// lmthing: scripts are checked by `Restricted` before.
        Ourselves,
        /// A program that a script starts: nothing else checks it.
        Programs,
    }

    pub(super) fn confine(rights: &FileRights, own: &Own, who: Who) -> io::Result<()> {
        match restrict(rights, own, who).map_err(io::Error::other)? {
            RulesetStatus::NotEnforced => Err(io::ErrorKind::Unsupported.into()),
            // Older kernels enforce a part, which docs/reference/permissions.md describes.
            RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
        }
    }

    /// Whether the kernel has landlock at all.
    pub(super) fn is_there() -> bool {
        let first = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        first.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
    }

    fn restrict(rights: &FileRights, own: &Own, who: Who) -> Result<RulesetStatus, RulesetError> {
        // `Programs` decides which programs are started.
        let handled = AccessFs::from_all(ABI::V5) & !(AccessFs::Execute | AccessFs::IoctlDev);
        let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(handled)?;
        if who == Who::Programs {
            // No signals to processes outside, no abstract sockets: enforced by Linux 6.12 and newer.
            ruleset = ruleset.scope(Scope::from_all(ABI::V6))?;
        }
        let ruleset = ruleset.create()?;
        let mut rules = Rules { ruleset, limits: (who == Who::Programs).then(|| Limits::new(rights)), handled };
        let read = rules.reading();
        // lmthing lists writable folders to find protected files; a script's own listing is refused by its check.
        let listing = if who == Who::Ourselves { AccessFs::ReadDir.into() } else { BitFlags::empty() };
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
            rules.allow_plainly(&path, read | write)?;
        }
        if who == Who::Ourselves {
            for terminal in TERMINALS {
                rules.allow_plainly(Path::new(terminal), read | write)?;
            }
            // To find the child processes of child processes.
            rules.allow_plainly(Path::new("/proc"), read)?;
        }
        if rights.read == Reach::All {
            rules.allow(Path::new("/"), read)?;
        }
        if rights.write == Reach::All {
            rules.allow(Path::new("/"), write)?;
        }
        rules.ruleset.restrict_self().map(|status| status.ruleset)
    }

    /// Exceptions below the folders that a program may use.
    struct Limits<'a> {
        shut: &'a [(PathBuf, bool)],
        /// Device and inode of those that may not be read: other names of these files are excluded as well.
        identities: HashSet<(u64, u64)>,
        /// Folders with a file that may not be read, and all folders above: their entries get the right to read one by one.
        split_for_reading: HashSet<PathBuf>,
        /// The same for writing: folders that hold a protected file or could get one, and all folders above.
        split_for_writing: HashSet<PathBuf>,
    }

    impl<'a> Limits<'a> {
        fn new(rights: &'a FileRights) -> Self {
            let folders = || rights.folders.iter().map(|(folder, is_readable)| (folder.as_path(), *is_readable));
            let parents =
                || rights.shut.iter().filter_map(|(path, is_readable)| Some((path, path.parent()?, *is_readable)));
            let unreadable = || rights.shut.iter().filter(|(_, is_readable)| !is_readable).map(|(path, _)| path);
            // A missing file cannot be read, and programs cannot create it.
            let hidden = parents().filter(|(path, _, is_readable)| !is_readable && path.exists());
            let hiding = folders().filter(|(_, is_readable)| !is_readable).map(|(folder, _)| folder);
            Limits {
                shut: &rights.shut,
                identities: unreadable().filter_map(|path| shut::identity_at(path)).collect(),
                split_for_reading: and_above(hidden.map(|(_, parent, _)| parent).chain(hiding)),
                split_for_writing: and_above(
                    parents().map(|(_, parent, _)| parent).chain(folders().map(|(folder, _)| folder)),
                ),
            }
        }

        /// The part of these rights that a path gets.
        fn left(&self, path: &Path, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
            let named =
                self.shut.iter().filter(|(shut, _)| path.starts_with(shut)).map(|(_, is_readable)| *is_readable);
            let by_name = names::shut(path).map(|shut| shut.is_readable);
            let by_identity = || shut::identity_at(path).is_some_and(|found| self.identities.contains(&found));
            match named.chain(by_name).min() {
                Some(false) => BitFlags::empty(),
                _ if is_process(path) || by_identity() => BitFlags::empty(),
                Some(true) => access & AccessFs::from_read(ABI::V5),
                None if names::is_of_system(path) => access & AccessFs::from_read(ABI::V5),
                None => access,
            }
        }

        fn is_split(&self, path: &Path, access: BitFlags<AccessFs>) -> bool {
            // Only processes are excluded from `/proc`, and those are its direct entries.
            let is_in_proc = path.starts_with("/proc") && path != Path::new("/proc");
            let is_writing = access.intersects(AccessFs::from_write(ABI::V5));
            let split = if is_writing { &self.split_for_writing } else { &self.split_for_reading };
            !is_in_proc && (split.contains(path) || names::is_journal_folder(path))
        }
    }

    /// Folders with all above them, and `/proc`, which holds the environment of every process.
    fn and_above<'a>(folders: impl Iterator<Item = &'a Path>) -> HashSet<PathBuf> {
        folders.chain([Path::new("/proc")]).flat_map(Path::ancestors).map(Path::to_owned).collect()
    }

    /// Opens a path for use in a rule.
    fn open(path: &Path, resolve: ResolveFlags) -> Option<File> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        rustix::fs::openat2(rustix::fs::CWD, path, flags, Mode::empty(), resolve).ok().map(File::from)
    }

    /// Whether a path is about a process, in `/proc`.
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

        /// Allows access to everything below a path but protected files.
        ///
        /// Landlock cannot take a right back below a folder that has it, and has no right to create one name and not another. So a
        /// folder with a protected file can be listed, its other entries get the rights one by one, and nothing can be created,
        /// moved or removed in the folder itself.
        fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), RulesetError> {
            let Some(limits) = &self.limits else { return self.allow_plainly(path, access) };
            let access = limits.left(path, access);
            if !limits.is_split(path, access) {
                return self.allow_plainly(path, access);
            }
            if path != Path::new("/") && path != Path::new("/proc") {
                self.allow_plainly(path, access & AccessFs::ReadDir)?;
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

        fn allow_plainly(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), RulesetError> {
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
