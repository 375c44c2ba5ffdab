//! Files of lines, sent and received piece by piece.

use std::{
    io::{self, Read},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use futures_util::stream;
use reqwest::{Body as RequestBody, Method, Response, Url, header::LOCATION};

use super::{acts::Waits, remote::Remote};
use crate::{
    ProviderError, ProviderErrorKind,
    transport::{Act, ActBody, ActFailure},
};
use lmthing_system::http::{Body, MAX_MESSAGE};

const PIECE: usize = 64 << 10;

const MAX_REDIRECTS: usize = 5;

/// A body of a file between two texts.
pub(super) struct FileBody {
    before: Bytes,
    path: PathBuf,
    length: u64,
    after: Bytes,
    /// Whether lines become items of a list: line breaks become commas, and the last one is left out.
    is_list: bool,
}

impl FileBody {
    pub(super) fn new(before: String, path: &Path, after: String) -> io::Result<Self> {
        let length = path.metadata()?.len();
        Ok(FileBody { before: before.into(), path: path.to_owned(), length, after: after.into(), is_list: false })
    }

    /// The lines of the file as items of a list.
    pub(super) fn list(before: String, path: &Path, after: String) -> io::Result<Self> {
        let whole = FileBody::new(before, path, after)?;
        let has_end = ends_with_line_break(path)?;
        Ok(FileBody { length: whole.length - u64::from(has_end), is_list: true, ..whole })
    }

    pub(super) fn into_body(self, content_type: &str) -> ActBody {
        let length = self.before.len() as u64 + self.length + self.after.len() as u64;
        ActBody::Stream { content_type: content_type.to_owned(), length, open: Box::new(move || self.open()) }
    }

    fn open(&self) -> RequestBody {
        let (path, left, is_list, after) = (self.path.clone(), self.length, self.is_list, self.after.clone());
        let state = State::Before(self.before.clone());
        let pieces = stream::unfold((state, left), move |(state, left)| {
            let (path, after) = (path.clone(), after.clone());
            // Reading blocks for as long as a piece needs, which the cache of the system makes short.
            let next = match state.next(&path, left, after) {
                Err(error) => Some((Err(error), (State::End, 0))),
                Ok(None) => None,
                Ok(Some((piece, state))) => {
                    let piece = if is_list && matches!(state, State::Inside(_)) { commas(&piece) } else { piece };
                    let read = if matches!(state, State::Inside(_)) { piece.len() as u64 } else { 0 };
                    Some((Ok(piece), (state, left.saturating_sub(read))))
                }
            };
            std::future::ready(next)
        });
        RequestBody::wrap_stream(pieces)
    }
}

enum State {
    Before(Bytes),
    Inside(std::fs::File),
    End,
}

impl State {
    fn next(self, path: &Path, left: u64, after: Bytes) -> io::Result<Option<(Bytes, State)>> {
        match self {
            State::Before(text) if !text.is_empty() => Ok(Some((text, State::Before(Bytes::new())))),
            State::Before(_) => State::Inside(std::fs::File::open(path)?).next(path, left, after),
            State::Inside(_) if left == 0 => Ok(Some((after, State::End)).filter(|(text, _)| !text.is_empty())),
            State::Inside(mut file) => {
                let mut piece = vec![0; PIECE.min(usize::try_from(left).unwrap_or(PIECE))];
                let count = file.read(&mut piece)?;
                if count == 0 {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter"));
                }
                piece.truncate(count);
                Ok(Some((piece.into(), State::Inside(file))))
            }
            State::End => Ok(None),
        }
    }
}

fn commas(piece: &[u8]) -> Bytes {
    piece.iter().map(|byte| if *byte == b'\n' { b',' } else { *byte }).collect()
}

fn ends_with_line_break(path: &Path) -> io::Result<bool> {
    use io::{Seek, SeekFrom};
    let mut file = std::fs::File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

impl Remote {
    pub(super) fn unreadable(&self, path: &Path, error: &io::Error) -> ProviderError {
        let message = format!("The requests of the batch cannot be read from {}: {error}", path.display());
        let mut wrong = self.model.wrong_answer(&message);
        wrong.kind = ProviderErrorKind::Configuration;
        wrong
    }

    /// Hands the lines of a file to `on`. A transfer that breaks off is begun again, and lines that were handed over are
    /// skipped.
    pub(super) async fn lines(
        &self,
        url: &Url,
        on: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, ProviderError> {
        let (mut waits, mut done) = (Waits::default(), 0);
        loop {
            let response = self.download(url.clone()).await?;
            match self.read_lines(response, &mut done, on).await {
                Ok(flow) => return Ok(flow),
                Err(error) => {
                    let is_retryable = error.kind == ProviderErrorKind::Connection;
                    waits.wait(self, ActFailure { is_retryable, ..ActFailure::certain(error) }).await?;
                }
            }
        }
    }

    /// Follows redirections, without the key where they lead to another server.
    async fn download(&self, mut url: Url) -> Result<Response, ProviderError> {
        for _ in 0..MAX_REDIRECTS {
            let is_authorised = url.origin() == self.endpoint.origin();
            let headers = if is_authorised { self.target.headers.clone() } else { Vec::new() };
            let act = Act {
                method: Method::GET,
                url: url.clone(),
                headers,
                body: ActBody::Empty,
                is_authorised,
                is_redirectable: true,
            };
            let response = self.perform(&act).await?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
            url = location
                .and_then(|location| url.join(location).ok())
                .ok_or_else(|| self.model.wrong_answer("The provider redirects to no address."))?;
        }
        Err(self.model.wrong_answer("The provider redirects in a circle."))
    }

    async fn read_lines(
        &self,
        response: Response,
        done: &mut usize,
        on: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, ProviderError> {
        let (mut body, mut begun, mut seen) = (Body::new(response), Vec::new(), 0);
        let mut take = |line: &[u8]| {
            seen += 1;
            let line = line.trim_ascii();
            if seen <= *done || line.is_empty() {
                return ControlFlow::Continue(());
            }
            *done = seen;
            on(&String::from_utf8_lossy(line))
        };
        while let Some(chunk) = self.piece(&mut body).await? {
            let mut rest = &chunk[..];
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                begun.extend_from_slice(&rest[..end]);
                if take(&begun).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                begun.clear();
                rest = &rest[end + 1..];
            }
            begun.extend_from_slice(rest);
            if begun.len() > MAX_MESSAGE {
                return Err(self.model.wrong_answer("The provider sent a result that is too long."));
            }
        }
        Ok(if begun.is_empty() { ControlFlow::Continue(()) } else { take(&begun) })
    }
}
