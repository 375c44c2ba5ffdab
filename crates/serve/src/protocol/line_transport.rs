//! MCP transport over lines. Invalid messages are answered with an error, as the client would wait forever otherwise.

use std::pin::Pin;

use rmcp::{
    ErrorData, RoleServer,
    model::{ClientJsonRpcMessage, ErrorCode, RequestId, ServerJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader, Empty, empty};

use super::request_id_scanner::{RequestIdScanner, replace_lone_surrogates};

/// Longest line in bytes.
const MAX_LINE: usize = 16 << 20;

pub(super) struct LineTransport<R, W: AsyncWrite> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Scanner for the rest of a line that is too long.
    overlong: Option<RequestIdScanner>,
    write: AsyncRwTransport<RoleServer, Empty, W>,
    refusal: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

enum ParsedLine {
    Message(Box<ClientJsonRpcMessage>),
    /// A line that needs no response.
    Nothing,
    Wrong(Option<RequestId>, ErrorData),
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> LineTransport<R, W> {
    pub(super) fn new(read: R, write: W) -> Self {
        let (read, write) = (BufReader::new(read), AsyncRwTransport::new_server(empty(), write));
        LineTransport { read, line: Vec::new(), overlong: None, write, refusal: None }
    }

    /// Reads to the end of a line; returns whether there was one. Cancel-safe.
    async fn fill(&mut self) -> bool {
        loop {
            let available = self.read.fill_buf().await.unwrap_or_default();
            if available.is_empty() {
                return !self.line.is_empty() || self.overlong.is_some();
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(available.len(), |end| end + 1);
            match &mut self.overlong {
                Some(scanner) => scanner.push(&available[..length]),
                None => self.line.extend_from_slice(&available[..length]),
            }
            self.read.consume(length);
            if self.line.len() > MAX_LINE {
                let mut scanner = RequestIdScanner::default();
                scanner.push(&self.line);
                (self.line, self.overlong) = (Vec::new(), Some(scanner));
            }
            if end.is_some() {
                return true;
            }
        }
    }

    fn take(&mut self) -> ParsedLine {
        if let Some(scanner) = self.overlong.take() {
            return scanner.refuse(ErrorCode::INVALID_REQUEST, &format!("it has more than {} MiB", MAX_LINE >> 20));
        }
        let read = read(self.line.trim_ascii());
        let read = match read {
            ParsedLine::Wrong(..) if replace_lone_surrogates(&mut self.line) => self::read(self.line.trim_ascii()),
            read => read,
        };
        self.line.clear();
        read
    }
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer>
    for LineTransport<R, W>
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.write.send(message)
    }

    /// Cancel-safe.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(refusal) = &mut self.refusal {
                refusal.await;
                self.refusal = None;
            }
            if !self.fill().await {
                return None;
            }
            match self.take() {
                ParsedLine::Message(message) => return Some(*message),
                ParsedLine::Nothing => {}
                ParsedLine::Wrong(id, error) => {
                    let send = self.write.send(ServerJsonRpcMessage::error(error, id));
                    // A closed connection is noticed by the next read.
                    self.refusal = Some(Box::pin(async { drop(send.await) }));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.write.close().await
    }
}

impl RequestIdScanner {
    fn refuse(self, code: ErrorCode, why: &str) -> ParsedLine {
        let (id, code) = match self.request() {
            Some(id) => (Some(id), ErrorCode::INVALID_REQUEST),
            None => (None, code),
        };
        ParsedLine::Wrong(id, ErrorData::new(code, format!("the message cannot be read: {why}"), None))
    }
}

fn read(line: &[u8]) -> ParsedLine {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    // A line that is not JSON is output of another program.
    if !line.starts_with(b"{") && !line.starts_with(b"[") {
        return ParsedLine::Nothing;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return ParsedLine::Message(Box::new(message));
    }
    let mut scanner = RequestIdScanner::default();
    scanner.push(line);
    match serde_json::from_slice::<Value>(line) {
        Err(error) => scanner.refuse(ErrorCode::PARSE_ERROR, &error.to_string()),
        // An unknown notification.
        Ok(value) if value.get("id").is_none() && value.get("method").is_some() => ParsedLine::Nothing,
        Ok(_) => scanner.refuse(ErrorCode::INVALID_REQUEST, "it is no message of JSON-RPC 2.0"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn answers(lines: &[u8]) -> (Vec<Value>, usize) {
        let (client, server) = tokio::io::duplex(1 << 20);
        let mut transport = LineTransport::new(lines, server);
        let mut count = 0;
        while transport.receive().await.is_some() {
            count += 1;
        }
        drop(transport);
        let mut answers = BufReader::new(client).lines();
        let mut all = Vec::new();
        while let Some(line) = answers.next_line().await.unwrap() {
            all.push(serde_json::from_str(&line).unwrap());
        }
        (all, count)
    }

    #[tokio::test]
    async fn lines_without_a_request_are_ignored() {
        let lines = "\n\r\nnoise\n{\"method\":\"window/moved\"}\n";
        assert_eq!(answers(lines.as_bytes()).await, (vec![], 0));
        let last = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}";
        assert_eq!(answers(last.as_bytes()).await, (vec![], 2), "the last line needs no end");
    }

    #[tokio::test]
    async fn invalid_messages_are_answered() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let long = "x".repeat(MAX_LINE);
        for (line, id, code) in [
            (format!("{{\"method\":\"tools/call\",\"params\":{deep},\"jsonrpc\":\"2.0\",\"id\":7}}"), json!(7), -32600),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0041\",\"method\":\"m\",\"params\":{\"n\":1e400}}".to_owned(),
                json!("aA"),
                -32600,
            ),
            (
                format!("{{\"method\":\"m\",\"params\":{{\"t\":\"{long}\"}},\"jsonrpc\":\"2.0\",\"id\":8}}"),
                json!(8),
                -32600,
            ),
            ("{\"jsonrpc\":".to_owned(), Value::Null, -32700),
            ("{\"id\":4}".to_owned(), Value::Null, -32600),
        ] {
            let (all, count) = answers(format!("{line}\n").as_bytes()).await;
            assert_eq!((all.len(), count), (1, 0), "{all:?}");
            assert_eq!((&all[0]["id"], &all[0]["error"]["code"]), (&id, &json!(code)), "{all:?}");
        }
    }
}
