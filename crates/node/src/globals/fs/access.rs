//! Permission checks of file operations, before they begin.

use std::path::Path;

use rquickjs::{Array, Ctx, Object, Result, Value};

use super::descriptors;
use super::opener::{may_change, may_read, refuses_links};
use crate::gate;
use crate::host::host;
use lmthing_base::permission::{Access, PinnedPath, real_path};

/// What an operation accesses. Unless noted, the path is its first argument. The number in `…ByFlag` is the index of
/// the argument that says whether a link at the end of the path is followed.
#[derive(Clone, Copy)]
pub(super) enum FsAccess {
    None,
    /// Reads from the descriptor in the first argument.
    ReadDescriptor,
    Read,
    /// Reads the directory entry at the path itself.
    ReadEntry,
    ReadByFlag(usize),
    Write,
    /// Changes or removes the directory entry at the path itself.
    WriteEntry,
    WriteByFlag(usize),
    /// Path and flags come first; the flags decide what is accessed.
    Open,
    /// Path and `recursive` come first; an existing folder is not changed.
    MakeDirectory,
    /// The first argument is the beginning of the name.
    MakeTemporaryDirectory,
    Rename,
    Copy,
    /// Target and link.
    SymbolicLink,
    /// Existing file and new name.
    HardLink,
    /// Writes through a descriptor that was opened for writing.
    WriteDescriptor,
    /// Changes attributes of an open file, whatever it was opened for.
    WriteDescriptorAttributes,
}

enum PathAccess {
    Read(String),
    ReadEntry(String),
    Write(String),
    WriteEntry(String),
}

impl PathAccess {
    fn access(&self) -> Access<'_> {
        match self {
            PathAccess::Read(path) => Access::Read(path),
            PathAccess::ReadEntry(path) => Access::ReadEntry(path),
            PathAccess::Write(path) => Access::Write(path),
            PathAccess::WriteEntry(path) => Access::WriteEntry(path),
        }
    }
}

pub(super) struct AdmittedCall<'js> {
    pub(super) arguments: Array<'js>,
    /// Keep the paths valid until the operation is done.
    pub(super) pins: Vec<PinnedPath>,
    /// Its paths are not pinned, so it must run before the script continues.
    pub(super) is_synchronous: bool,
}

impl FsAccess {
    /// Returns the arguments to use, or the error of a refusal.
    pub(super) fn admit<'js>(
        self,
        ctx: &Ctx<'js>,
        arguments: Array<'js>,
    ) -> Result<std::result::Result<AdmittedCall<'js>, Object<'js>>> {
        if gate::allows_all(ctx) {
            return Ok(Ok(AdmittedCall { arguments, pins: Vec::new(), is_synchronous: false }));
        }
        self.hide_stdin(ctx, &arguments)?;
        let rights = gate::restricted(ctx);
        for path_access in self.path_accesses(&arguments, rights.is_some())? {
            if let Some(refusal) = gate::denied_error(ctx, path_access.access())? {
                return Ok(Err(refusal));
            }
        }
        let Some(rights) = rights else {
            return Ok(Ok(AdmittedCall { arguments, pins: Vec::new(), is_synchronous: false }));
        };
        // The script's own array stays unchanged for messages.
        let checked = Array::new(ctx.clone())?;
        for (index, value) in arguments.iter::<Value<'js>>().enumerate() {
            checked.set(index, value?)?;
        }
        if let FsAccess::MakeDirectory = self
            && let Some(real) = real_path(Path::new(&arguments.get::<String>(0)?))
        {
            // Without `..`: the system would also create the folders before it.
            checked.set(0, real.display().to_string())?;
        }
        let mut pins = Vec::new();
        for (index, is_followed) in self.paths_to_pin(&arguments)? {
            match rights.pin(&arguments.get::<String>(index)?, is_followed) {
                Ok(pin) => pins.extend(pin.map(|pin| checked.set(index, pin.path.as_str()).map(|()| pin)).transpose()?),
                Err(refusal) => return gate::permission_error(ctx, refusal).map(Err),
            }
        }
        Ok(Ok(AdmittedCall { arguments: checked, pins, is_synchronous: self.has_unpinned_paths() }))
    }

    /// Its paths are not pinned, and files are not checked again after opening.
    fn has_unpinned_paths(self) -> bool {
        matches!(
            self,
            FsAccess::MakeDirectory
                | FsAccess::MakeTemporaryDirectory
                | FsAccess::Read
                | FsAccess::ReadEntry
                | FsAccess::ReadByFlag(_)
        )
    }

    /// Indexes of the paths that are changed, and whether a link at the end of each is followed.
    fn paths_to_pin(self, arguments: &Array<'_>) -> Result<Vec<(usize, bool)>> {
        Ok(match self {
            FsAccess::None
            | FsAccess::ReadDescriptor
            | FsAccess::Read
            | FsAccess::ReadEntry
            | FsAccess::ReadByFlag(_) => Vec::new(),
            FsAccess::WriteDescriptor | FsAccess::WriteDescriptorAttributes => Vec::new(),
            // The operation returns its path, which must not be a pinned one.
            FsAccess::MakeTemporaryDirectory => Vec::new(),
            FsAccess::MakeDirectory if arguments.get::<bool>(1)? => Vec::new(),
            FsAccess::Write => vec![(0, true)],
            FsAccess::WriteByFlag(index) => vec![(0, arguments.get::<bool>(index)?)],
            FsAccess::WriteEntry | FsAccess::MakeDirectory => vec![(0, false)],
            FsAccess::Open if may_change(arguments.get(1)?) => vec![(0, !refuses_links(arguments.get(1)?))],
            FsAccess::Open => Vec::new(),
            FsAccess::Rename | FsAccess::HardLink => vec![(0, false), (1, false)],
            FsAccess::Copy => vec![(1, true)],
            FsAccess::SymbolicLink => vec![(1, false)],
        })
    }

    fn path_accesses(self, arguments: &Array<'_>, is_restricted: bool) -> Result<Vec<PathAccess>> {
        let path = |index: usize| arguments.get::<String>(index);
        let follows = |index: usize| arguments.get::<bool>(index);
        Ok(match self {
            FsAccess::None | FsAccess::ReadDescriptor => Vec::new(),
            FsAccess::Read => vec![PathAccess::Read(path(0)?)],
            FsAccess::ReadByFlag(index) if follows(index)? => vec![PathAccess::Read(path(0)?)],
            FsAccess::ReadEntry | FsAccess::ReadByFlag(_) => vec![PathAccess::ReadEntry(path(0)?)],
            FsAccess::Write => vec![PathAccess::Write(path(0)?)],
            FsAccess::WriteByFlag(index) if follows(index)? => vec![PathAccess::Write(path(0)?)],
            FsAccess::WriteEntry | FsAccess::WriteByFlag(_) => vec![PathAccess::WriteEntry(path(0)?)],
            FsAccess::Open => {
                let flags = arguments.get(1)?;
                let reads = may_read(flags).then(|| path(0).map(PathAccess::Read)).transpose()?;
                let changes = may_change(flags).then(|| path(0).map(PathAccess::Write)).transpose()?;
                reads.into_iter().chain(changes).collect()
            }
            FsAccess::MakeDirectory => {
                let exists = follows(1)? && Path::new(&path(0)?).is_dir();
                vec![if exists { PathAccess::Read(path(0)?) } else { PathAccess::WriteEntry(path(0)?) }]
            }
            FsAccess::MakeTemporaryDirectory => {
                // The final name is not known yet, so the permission is for its folder.
                let made = format!("{}XXXXXX", path(0)?);
                let folder = Path::new(&made).parent().filter(|folder| !folder.as_os_str().is_empty());
                vec![PathAccess::Write(folder.unwrap_or(Path::new(".")).display().to_string())]
            }
            FsAccess::Rename => vec![
                PathAccess::WriteEntry(path(0)?),
                PathAccess::ReadEntry(path(0)?),
                PathAccess::WriteEntry(path(1)?),
            ],
            FsAccess::Copy => vec![PathAccess::Read(path(0)?), PathAccess::Write(path(1)?)],
            FsAccess::SymbolicLink => {
                let (target, link) = (path(0)?, path(1)?);
                let target = Path::new(&link).parent().unwrap_or(Path::new("")).join(target).display().to_string();
                vec![PathAccess::WriteEntry(link), PathAccess::Write(target.clone()), PathAccess::Read(target)]
            }
            // The new name gives access to the file wherever it is.
            FsAccess::HardLink => {
                vec![PathAccess::WriteEntry(path(1)?), PathAccess::Write(path(0)?), PathAccess::Read(path(0)?)]
            }
            // Checked when it was opened.
            FsAccess::WriteDescriptor if is_restricted => Vec::new(),
            FsAccess::WriteDescriptor => vec![PathAccess::Write("an open file".to_owned())],
            FsAccess::WriteDescriptorAttributes if is_restricted => {
                vec![PathAccess::Write(descriptors::path_of(arguments.get(0)?))]
            }
            FsAccess::WriteDescriptorAttributes => vec![PathAccess::Write("an open file".to_owned())],
        })
    }

    /// Replaces standard input by an empty file when it is not the script's to read.
    fn hide_stdin(self, ctx: &Ctx<'_>, arguments: &Array<'_>) -> Result<()> {
        match self {
            FsAccess::ReadDescriptor if arguments.get::<i32>(0)? == 0 && !host(ctx)?.has_stdin() => {
                // -1 is never an open descriptor, so the real standard input is not read in any case.
                if descriptors::open_files(ctx)?.empty_stdin().is_err() { arguments.set(0, -1) } else { Ok(()) }
            }
            FsAccess::Open => {
                let path: String = arguments.get(0)?;
                if is_stdin(&path) && !host(ctx)?.has_stdin() {
                    arguments.set(0, descriptors::EMPTY_FILE)
                } else {
                    Ok(())
                }
            }
            _ => Ok(()),
        }
    }
}

/// Whether a path leads to standard input under any name.
fn is_stdin(path: &str) -> bool {
    let real = |path: &str| std::fs::canonicalize(path).ok();
    ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(&path)
        || real(path).is_some_and(|path| Some(path) == real("/dev/stdin"))
}
