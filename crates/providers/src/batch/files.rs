//! Uploads as forms.

use std::path::Path;

use reqwest::{Method, Response};
use serde::Deserialize;

use super::{NewBatch, RemoteId, lines::FileBody, remote::Remote};
use crate::ProviderError;

#[derive(Deserialize)]
pub(super) struct RemoteFile {
    pub id: RemoteId,
    #[serde(default)]
    pub filename: String,
    #[serde(default)]
    pub created_at: u64,
    #[serde(default)]
    pub status: Option<String>,
}

/// The name of the uploaded file of a batch.
pub(super) fn file_name(new: &NewBatch) -> String {
    format!("{}.jsonl", new.name)
}

impl Remote {
    /// `find` looks for what an upload without an answer has done.
    pub(super) async fn upload_form<F: Future<Output = Result<Option<RemoteId>, ProviderError>>>(
        &self,
        new: &NewBatch,
        lines: &Path,
        find: impl Fn() -> F,
    ) -> Result<RemoteId, ProviderError> {
        let boundary: String = std::iter::repeat_with(fastrand::alphanumeric).take(40).collect();
        let disposition = "Content-Disposition: form-data; name=";
        let before = format!(
            "--{boundary}\r\n{disposition}\"purpose\"\r\n\r\nbatch\r\n--{boundary}\r\n{disposition}\"file\"; \
             filename=\"{}\"\r\nContent-Type: application/jsonl\r\n\r\n",
            file_name(new)
        );
        let body = FileBody::new(before, lines, format!("\r\n--{boundary}--\r\n"));
        let body = body.map_err(|error| self.unreadable(lines, &error))?;
        let body = body.into_body(&format!("multipart/form-data; boundary={boundary}"));
        let act = self.act(Method::POST, self.url(&["files"], &[]), body);
        let id_of = async |response: Response| Ok(self.read::<RemoteFile>(response).await?.id);
        self.perform_once(&act, id_of, find).await
    }
}
