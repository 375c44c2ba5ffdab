//! What is asked of [`gate`] about an operation on files before it begins. Must not know how it is done.

use std::path::Path;

use rquickjs::{Array, Ctx, Object, Result, Value};

use super::fs_descriptors as descriptors;
use super::fs_opening::{may_change, may_read, refuses_links};
use crate::permission::{Access, Pinned, real_path};
use crate::script::gate;
use crate::script::host::host;

/// What an operation does. Unless it is said, the path comes first among its arguments; numbers are places of flags that say
/// whether a link at the end of the path is followed.
#[derive(Clone, Copy)]
pub(super) enum Asks {
    /// Nothing that anybody has to know.
    Nothing,
    /// It reads from the descriptor that comes first.
    Reads,
    /// It looks at what the path leads to.
    Sees,
    /// It looks at what is at the path itself.
    SeesEntry,
    SeesByFlag(usize),
    /// It changes what the path leads to.
    Changes,
    /// It changes or removes what is at the path itself.
    ChangesEntry,
    ChangesByFlag(usize),
    /// Path and flags come first; the flags say what happens to the file.
    Opens,
    /// Path and `recursive` come first: of a folder that is there already nothing is made.
    Makes,
    /// It makes something whose name begins so.
    MakesAt,
    /// It moves one to another.
    Moves,
    /// It copies one to another.
    Copies,
    /// It makes a link to the first at the second.
    Links,
    /// It makes the second another name of the first.
    Names,
    /// It changes a file through a descriptor that was opened to change it.
    ChangesOpen,
    /// It changes what is known of the file of a descriptor, however that was opened.
    ChangesOpenFile,
}

/// One of the things that an operation does.
enum Need {
    See(String),
    SeeEntry(String),
    Change(String),
    ChangeEntry(String),
}

impl Need {
    fn access(&self) -> Access<'_> {
        match self {
            Need::See(path) => Access::Read(path),
            Need::SeeEntry(path) => Access::ReadEntry(path),
            Need::Change(path) => Access::Write(path),
            Need::ChangeEntry(path) => Access::WriteEntry(path),
        }
    }
}

/// The arguments of an operation that may be done.
pub(super) struct Admitted<'js> {
    pub(super) arguments: Array<'js>,
    /// Keeps the paths among them valid until the operation is done.
    pub(super) pins: Vec<Pinned>,
    /// Whether it is done in the call even where it could be done later: its paths are not pinned.
    pub(super) is_done_at_once: bool,
}

impl Asks {
    /// What the operation is done with, or the error of what may not be done.
    pub(super) fn admit<'js>(
        self,
        ctx: &Ctx<'js>,
        arguments: Array<'js>,
    ) -> Result<std::result::Result<Admitted<'js>, Object<'js>>> {
        if gate::is_open(ctx) {
            return Ok(Ok(Admitted { arguments, pins: Vec::new(), is_done_at_once: false }));
        }
        self.put_stdin_away(ctx, &arguments)?;
        let rights = gate::restricted(ctx);
        for need in self.needs(&arguments, rights.is_some())? {
            if let Some(refusal) = gate::refusal(ctx, need.access())? {
                return Ok(Err(refusal));
            }
        }
        let Some(rights) = rights else {
            return Ok(Ok(Admitted { arguments, pins: Vec::new(), is_done_at_once: false }));
        };
        // The script's own array stays as it is, for messages.
        let own = Array::new(ctx.clone())?;
        for (index, value) in arguments.iter::<Value<'js>>().enumerate() {
            own.set(index, value?)?;
        }
        if let Asks::Makes = self
            && let Some(real) = real_path(Path::new(&arguments.get::<String>(0)?))
        {
            // Without `..`, behind which the system would make folders as well.
            own.set(0, real.display().to_string())?;
        }
        let mut pins = Vec::new();
        for (index, is_followed) in self.pinned(&arguments)? {
            match rights.pin(&arguments.get::<String>(index)?, is_followed) {
                Ok(pin) => pins.extend(pin.map(|pin| own.set(index, pin.path.as_str()).map(|()| pin)).transpose()?),
                Err(refusal) => return gate::refused_error(ctx, refusal).map(Err),
            }
        }
        Ok(Ok(Admitted { arguments: own, pins, is_done_at_once: self.takes_unpinned_paths() }))
    }

    /// Whether it takes paths that are not pinned, and does not check a file once it is open.
    fn takes_unpinned_paths(self) -> bool {
        matches!(self, Asks::Makes | Asks::MakesAt | Asks::Sees | Asks::SeesEntry | Asks::SeesByFlag(_))
    }

    /// Which arguments are paths that are changed, and whether a link at the end of each is followed.
    fn pinned(self, arguments: &Array<'_>) -> Result<Vec<(usize, bool)>> {
        Ok(match self {
            Asks::Nothing | Asks::Reads | Asks::Sees | Asks::SeesEntry | Asks::SeesByFlag(_) => Vec::new(),
            Asks::ChangesOpen | Asks::ChangesOpenFile => Vec::new(),
            // The result is a path, which must not be a pinned one.
            Asks::MakesAt => Vec::new(),
            Asks::Makes if arguments.get::<bool>(1)? => Vec::new(),
            Asks::Changes => vec![(0, true)],
            Asks::ChangesByFlag(index) => vec![(0, arguments.get::<bool>(index)?)],
            Asks::ChangesEntry | Asks::Makes => vec![(0, false)],
            Asks::Opens if may_change(arguments.get(1)?) => vec![(0, !refuses_links(arguments.get(1)?))],
            Asks::Opens => Vec::new(),
            Asks::Moves | Asks::Names => vec![(0, false), (1, false)],
            Asks::Copies => vec![(1, true)],
            Asks::Links => vec![(1, false)],
        })
    }

    fn needs(self, arguments: &Array<'_>, is_restricted: bool) -> Result<Vec<Need>> {
        let path = |index: usize| arguments.get::<String>(index);
        let follows = |index: usize| arguments.get::<bool>(index);
        Ok(match self {
            Asks::Nothing | Asks::Reads => Vec::new(),
            Asks::Sees => vec![Need::See(path(0)?)],
            Asks::SeesByFlag(index) if follows(index)? => vec![Need::See(path(0)?)],
            Asks::SeesEntry | Asks::SeesByFlag(_) => vec![Need::SeeEntry(path(0)?)],
            Asks::Changes => vec![Need::Change(path(0)?)],
            Asks::ChangesByFlag(index) if follows(index)? => vec![Need::Change(path(0)?)],
            Asks::ChangesEntry | Asks::ChangesByFlag(_) => vec![Need::ChangeEntry(path(0)?)],
            Asks::Opens => {
                let flags = arguments.get(1)?;
                let reads = may_read(flags).then(|| path(0).map(Need::See)).transpose()?;
                let changes = may_change(flags).then(|| path(0).map(Need::Change)).transpose()?;
                reads.into_iter().chain(changes).collect()
            }
            Asks::Makes => {
                let is_there = follows(1)? && Path::new(&path(0)?).is_dir();
                vec![if is_there { Need::See(path(0)?) } else { Need::ChangeEntry(path(0)?) }]
            }
            Asks::MakesAt => {
                // The name is not known yet; its folder is what has to be given.
                let made = format!("{}XXXXXX", path(0)?);
                let folder = Path::new(&made).parent().filter(|folder| !folder.as_os_str().is_empty());
                vec![Need::Change(folder.unwrap_or(Path::new(".")).display().to_string())]
            }
            Asks::Moves => vec![Need::ChangeEntry(path(0)?), Need::SeeEntry(path(0)?), Need::ChangeEntry(path(1)?)],
            Asks::Copies => vec![Need::See(path(0)?), Need::Change(path(1)?)],
            Asks::Links => {
                let (target, link) = (path(0)?, path(1)?);
                let target = Path::new(&link).parent().unwrap_or(Path::new("")).join(target).display().to_string();
                vec![Need::ChangeEntry(link), Need::Change(target.clone()), Need::See(target)]
            }
            // Through the new name the file can be read and changed wherever that is.
            Asks::Names => vec![Need::ChangeEntry(path(1)?), Need::Change(path(0)?), Need::See(path(0)?)],
            // Whoever opened it was asked.
            Asks::ChangesOpen if is_restricted => Vec::new(),
            Asks::ChangesOpen => vec![Need::Change("an open file".to_owned())],
            Asks::ChangesOpenFile if is_restricted => {
                vec![Need::Change(descriptors::path_of(arguments.get(0)?))]
            }
            Asks::ChangesOpenFile => vec![Need::Change("an open file".to_owned())],
        })
    }

    /// Has standard input be empty where it is not the script's.
    fn put_stdin_away(self, ctx: &Ctx<'_>, arguments: &Array<'_>) -> Result<()> {
        match self {
            Asks::Reads if arguments.get::<i32>(0)? == 0 && !host(ctx)?.has_stdin() => {
                // A number of no file: nothing is read from the real one in any case.
                if descriptors::open_files(ctx)?.empty_stdin().is_err() { arguments.set(0, -1) } else { Ok(()) }
            }
            Asks::Opens => {
                let path: String = arguments.get(0)?;
                if is_stdin(&path) && !host(ctx)?.has_stdin() { arguments.set(0, descriptors::NOTHING) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }
}

/// Whether a path leads to standard input, however it is written.
fn is_stdin(path: &str) -> bool {
    let real = |path: &str| std::fs::canonicalize(path).ok();
    ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(&path)
        || real(path).is_some_and(|path| Some(path) == real("/dev/stdin"))
}
