//! Texts of documents that are open in an editor and not saved. They stand for the files of their paths wherever source
//! files are read: by the module loader and by the type checker.
//!
//! Set for the whole process: by the language server, and in the runs that it starts. Scripts that read files
//! themselves get what is on the disk.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, PoisonError, RwLock},
};

static TEXTS: LazyLock<RwLock<HashMap<PathBuf, Arc<str>>>> = LazyLock::new(RwLock::default);

/// Sets the text of a file by its real path (see [`real_path`]); `None` is what the disk has.
pub fn set_unsaved_text(real: &Path, text: Option<Arc<str>>) {
    let mut texts = TEXTS.write().unwrap_or_else(PoisonError::into_inner);
    match text {
        Some(text) => texts.insert(real.to_owned(), text),
        None => texts.remove(real),
    };
}

/// All texts that are set, by real path.
pub fn unsaved_texts() -> Vec<(PathBuf, Arc<str>)> {
    let texts = TEXTS.read().unwrap_or_else(PoisonError::into_inner);
    texts.iter().map(|(path, text)| (path.clone(), text.clone())).collect()
}

/// The text of a file, by its real path, if it is open and not saved.
pub fn unsaved_text(real: &Path) -> Option<Arc<str>> {
    TEXTS.read().unwrap_or_else(PoisonError::into_inner).get(real).cloned()
}

/// The path of a file without links, also of a file that was never saved.
///
/// # Errors
/// Neither the file nor an unsaved text for it exists.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path).or_else(|error| {
        let real = unsaved_path(path);
        real.filter(|real| unsaved_text(real).is_some()).ok_or(error)
    })
}

/// The real path that a file of this name would have.
pub fn unsaved_path(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let folder = fs::canonicalize(folder).or_else(|_| std::path::absolute(folder)).ok()?;
    Some(folder.join(path.file_name()?))
}

/// Whether a source file can be read at this path.
pub fn is_source_file(path: &Path) -> bool {
    path.is_file() || unsaved_path(path).is_some_and(|real| unsaved_text(&real).is_some())
}

/// The bytes of a source file: its unsaved text, if there is one, else what the disk has.
///
/// # Errors
/// The file cannot be read.
pub fn read_source(path: &Path) -> io::Result<Vec<u8>> {
    let is_any = !TEXTS.read().unwrap_or_else(PoisonError::into_inner).is_empty();
    let unsaved = is_any.then(|| real_path(path).ok()).flatten().and_then(|real| unsaved_text(&real));
    unsaved.map_or_else(|| fs::read(path), |text| Ok(text.as_bytes().to_vec()))
}

/// The same as text, without its byte order mark: positions of findings are counted without it.
///
/// # Errors
/// The file cannot be read, or is not UTF-8.
pub fn read_source_text(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(read_source(path)?);
    let text = text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsaved_text_stands_for_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let (saved, new) = (folder.path().join("saved.mjs"), folder.path().join("new.mjs"));
        fs::write(&saved, "on disk").unwrap();
        assert!(real_path(&new).is_err() && !is_source_file(&new));
        let real = unsaved_path(&new).unwrap();
        set_unsaved_text(&real, Some("typed".into()));
        set_unsaved_text(&fs::canonicalize(&saved).unwrap(), Some("changed".into()));
        assert_eq!(real_path(&new).unwrap(), real);
        assert_eq!(read_source_text(&new).unwrap(), "typed");
        assert_eq!(read_source_text(&saved).unwrap(), "changed");
        assert!(is_source_file(&new));
        set_unsaved_text(&real, None);
        set_unsaved_text(&fs::canonicalize(&saved).unwrap(), None);
        assert!(!is_source_file(&new) && read_source_text(&saved).unwrap() == "on disk");
    }
}
