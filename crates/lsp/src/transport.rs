//! Messages of the protocol on a pair of streams.
//!
//! The readers of libraries end at the first message that is damaged; this one reports it and goes on with the next.

use std::{
    collections::VecDeque,
    io::{self, BufRead, Read, Write},
};

use gen_lsp_types::{
    ErrorCodes,
    json_rpc::{Error, Id, RequestObject, ResponseObject},
};
use serde_json::Value;

/// No client sends more. A larger length is a damaged header.
const MAX_LENGTH: u64 = 256 << 20;

/// The longest line of a header that is read.
const MAX_LINE: usize = 4 << 10;

/// The name of the header with the length, and the longest line with it.
const LENGTH: &str = "content-length";
const MAX_LENGTH_HEADER: usize = 64;

pub(crate) enum Incoming {
    /// A request or a notification.
    Call(RequestObject),
    /// The answer to a request of the server.
    Answer,
    /// A message that cannot be read; the next one can.
    Damaged {
        id: Id,
        code: ErrorCodes,
        why: String,
    },
    End,
}

/// The messages of a stream.
pub(crate) struct Messages<R> {
    input: R,
    /// Bytes that were read and are read once more, before the input.
    again: VecDeque<u8>,
    /// Whether the place of the next message is not known. It begins with the next header, which may follow the end of
    /// a body in the same line.
    is_lost: bool,
}

impl<R: BufRead> Messages<R> {
    pub(crate) fn new(input: R) -> Self {
        Messages { input, again: VecDeque::new(), is_lost: false }
    }

    /// Reads the next message. Of lines that are no header, the first is reported and the others are skipped: what
    /// follows a damaged header may be a long text.
    pub(crate) fn read(&mut self) -> Incoming {
        let mut length = None;
        loop {
            let Some(line) = self.line() else { return Incoming::End };
            let text = String::from_utf8_lossy(&line);
            let text = text.trim();
            match if self.is_lost { header_within(text) } else { header(text) } {
                Some((name, value)) if name.eq_ignore_ascii_case(LENGTH) => match value.parse::<u64>() {
                    Ok(bytes) if bytes <= MAX_LENGTH => length = Some(bytes),
                    _ => return self.damaged(format!("Content-Length is no usable number of bytes: {value}")),
                },
                Some(_) => {}
                // Without a length it is an empty line between messages, as people type it.
                None if text.is_empty() => {
                    if let Some(length) = length {
                        return self.body(length);
                    }
                }
                None if self.is_lost => {}
                None => {
                    self.read_again(line);
                    return self
                        .damaged("a message begins with Content-Length: and the number of its bytes".to_owned());
                }
            }
        }
    }

    /// The next line. Of a longer one, as bodies are, the end while lost: the next header may be there.
    fn line(&mut self) -> Option<Vec<u8>> {
        loop {
            let mut line = Vec::new();
            let mut input = (&mut self.again).chain(&mut self.input).take(MAX_LINE as u64);
            input.read_until(b'\n', &mut line).ok().filter(|length| *length > 0)?;
            if !self.is_lost || line.len() < MAX_LINE || line.ends_with(b"\n") {
                return Some(line);
            }
            self.read_again(line.split_off(MAX_LINE - MAX_LENGTH_HEADER));
        }
    }

    fn read_again(&mut self, bytes: Vec<u8>) {
        bytes.into_iter().rev().for_each(|byte| self.again.push_front(byte));
    }

    fn damaged(&mut self, why: String) -> Incoming {
        self.is_lost = true;
        Incoming::Damaged { id: Id::Null, code: ErrorCodes::ParseError, why }
    }

    fn body(&mut self, length: u64) -> Incoming {
        let mut bytes = Vec::new();
        while let left @ 1.. = length - bytes.len() as u64 {
            let start = bytes.len();
            let mut input = (&mut self.again).chain(&mut self.input).take(left);
            if input.read_until(b'\n', &mut bytes).unwrap_or(0) == 0 {
                return Incoming::End;
            }
            // The client waits for an answer before more bytes come.
            if ends_with_length(&bytes[start..]) {
                break;
            }
        }
        match serde_json::from_slice(&bytes) {
            Ok(value) => {
                self.is_lost = false;
                message(value)
            }
            Err(error) => {
                // With a wrong length, the next header is among these bytes, or after more of the body.
                self.read_again(bytes);
                self.damaged(format!("a message is not JSON: {error}"))
            }
        }
    }
}

/// The name and the value of a line that is a header.
fn header(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    is_header(name.trim()).then(|| (name.trim(), value.trim()))
}

/// The same for a line that may begin with the rest of a body.
fn header_within(line: &str) -> Option<(&str, &str)> {
    let length = line.to_ascii_lowercase().rfind(&format!("{LENGTH}:"));
    length.map_or_else(|| header(line), |start| header(&line[start..]))
}

/// Whether a line ends with the length of the next message, which no line of JSON does.
fn ends_with_length(line: &[u8]) -> bool {
    let end = String::from_utf8_lossy(&line[line.len().saturating_sub(MAX_LENGTH_HEADER)..]);
    let value = header_within(end.trim()).filter(|(name, _)| name.eq_ignore_ascii_case(LENGTH));
    line.ends_with(b"\n") && value.is_some_and(|(_, value)| value.parse::<u64>().is_ok())
}

fn is_header(name: &str) -> bool {
    let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    // The rest of a body before a header.
    let is_cut = name.len() > LENGTH.len() && name.to_ascii_lowercase().ends_with(LENGTH);
    !name.is_empty() && is_name && !is_cut
}

fn message(value: Value) -> Incoming {
    if value.get("method").is_none() && (value.get("result").is_some() || value.get("error").is_some()) {
        return Incoming::Answer;
    }
    let id = value.get("id").cloned().and_then(|id| serde_json::from_value(id).ok()).unwrap_or(Id::Null);
    match serde_json::from_value::<RequestObject>(value) {
        Ok(call) if !call.method().is_empty() => Incoming::Call(call),
        Ok(_) => Incoming::Damaged {
            id,
            code: ErrorCodes::InvalidRequest,
            why: "a message has neither a method nor a result".to_owned(),
        },
        Err(error) => Incoming::Damaged {
            id,
            code: ErrorCodes::InvalidRequest,
            why: format!("a message is no JSON-RPC request: {error}"),
        },
    }
}

pub(crate) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

pub(crate) fn failure(id: Id, code: ErrorCodes, message: impl Into<String>) -> ResponseObject {
    ResponseObject::from_error(id, Error { code, message: message.into(), data: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let (mut messages, mut found) = (Messages::new(text.as_bytes()), Vec::new());
        loop {
            found.push(match messages.read() {
                Incoming::Call(call) => call.method().to_owned(),
                Incoming::Answer => "answer".to_owned(),
                Incoming::Damaged { code, .. } => format!("{code:?}"),
                Incoming::End => return found,
            });
        }
    }

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn damaged_messages_do_not_end_the_stream() {
        let call = framed(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#);
        let broken = framed("{\"jsonrpc\":");
        let answer = framed(r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
        let typed = "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n".to_owned() + &call;
        let text = format!(
            "{call}{broken}{call}hello\r\nand\r\nmore\r\n{call}Content-Length: 99999999999999\r\n\r\n{answer}\r\n{typed}{}",
            framed("[]")
        );
        assert_eq!(
            all(&text),
            [
                "initialized",
                "ParseError",
                "initialized",
                "ParseError",
                "initialized",
                "ParseError",
                "answer",
                "initialized",
                "InvalidRequest"
            ]
        );
    }

    #[test]
    fn the_message_after_a_wrong_length_is_read() {
        let body = format!(r#"{{"jsonrpc":"2.0","method":"wrong","params":["{}"]}}"#, "é".repeat(5000));
        let (call, size) = (framed(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#), body.len());
        let lengths = [0, 1, 10, size - 1, size + 1, size + 9, size + 21, size + 40, size + 74, size + 100_000];
        for length in lengths.map(|length| length.to_string()).into_iter().chain(["-1".to_owned(), "x".to_owned()]) {
            let wrong = format!("Content-Length: {length}\r\n\r\n{body}");
            let found = all(&format!("{wrong}{call}{call}{wrong}{wrong}{call}{call}{call}"));
            let read = found.iter().filter(|found| *found == "initialized").count();
            assert_eq!((read, found[0].as_str()), (5, "ParseError"), "{length}: {found:?}");
        }
    }

    #[test]
    fn a_stream_cut_anywhere_ends() {
        let text = framed(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#);
        for length in 0..text.len() {
            let found = all(&text[..length]);
            assert!(found.len() <= 1 && !found.contains(&"shutdown".to_owned()), "{length}: {found:?}");
        }
    }
}
