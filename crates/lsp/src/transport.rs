//! Messages of the protocol on a pair of streams.
//!
//! The readers of libraries end at the first message that is damaged; this one reports it and goes on with the next.

use std::io::{self, BufRead, Read, Write};

use gen_lsp_types::{
    ErrorCodes,
    json_rpc::{Error, Id, RequestObject, ResponseObject},
};
use serde_json::Value;

/// No client sends more. A larger length is a damaged header.
const MAX_LENGTH: u64 = 256 << 20;

/// The longest line of a header that is read.
const MAX_HEADER: u64 = 4 << 10;

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

/// Reads the next message. Of lines that are no header, the first is reported and the others are skipped: what follows a
/// damaged header may be a long text.
pub(crate) fn read(input: &mut impl BufRead, is_lost: &mut bool) -> Incoming {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return Incoming::End,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        match line.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
                match value.trim().parse::<u64>() {
                    Ok(bytes) if bytes <= MAX_LENGTH => length = Some(bytes),
                    _ => {
                        *is_lost = true;
                        return damaged(format!("Content-Length is no usable number of bytes: {}", value.trim()));
                    }
                }
            }
            Some((name, _)) if is_header(name) => {}
            // Without a length it is an empty line between messages, as people type it.
            None if line.is_empty() => {
                if let Some(length) = length {
                    *is_lost = false;
                    return body(input, length);
                }
            }
            _ if *is_lost => {}
            _ => {
                *is_lost = true;
                return damaged("a message begins with Content-Length: and the number of its bytes".to_owned());
            }
        }
    }
}

fn is_header(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
}

fn damaged(why: String) -> Incoming {
    Incoming::Damaged { id: Id::Null, code: ErrorCodes::ParseError, why }
}

fn body(input: &mut impl BufRead, length: u64) -> Incoming {
    let mut bytes = Vec::new();
    match input.by_ref().take(length).read_to_end(&mut bytes) {
        Ok(read) if read as u64 == length => {}
        _ => return Incoming::End,
    }
    let value: Value = match serde_json::from_slice(&bytes) {
        Ok(value) => value,
        Err(error) => return damaged(format!("a message is not JSON: {error}")),
    };
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
        let mut input = text.as_bytes();
        let (mut found, mut is_lost) = (Vec::new(), false);
        loop {
            found.push(match read(&mut input, &mut is_lost) {
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
    fn a_stream_cut_anywhere_ends() {
        let text = framed(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#);
        for length in 0..text.len() {
            let found = all(&text[..length]);
            assert!(found.len() <= 1 && !found.contains(&"shutdown".to_owned()), "{length}: {found:?}");
        }
    }
}
