//! Selects the authentication headers of a request.

use reqwest::header::HeaderMap;

use super::model::HttpModel;
use crate::auth::{AuthFailure, UnsignedRequest};

const HEADERS: [&str; 4] = ["authorization", "api-key", "x-api-key", "x-goog-api-key"];

/// Returns the authentication headers to add; `own` are the headers of settings and call.
///
/// The order of precedence: the key, headers in `own`, user name and password of the base URL. If the key is
/// optional, nothing is added without one.
pub(super) async fn authorise(
    model: &HttpModel,
    request: &UnsignedRequest<'_>,
    own: &HeaderMap,
) -> Result<Vec<(String, String)>, AuthFailure> {
    if !model.auth.has_key() {
        if HEADERS.iter().any(|name| own.contains_key(*name)) {
            return Ok(Vec::new());
        }
        if let Some(basic) = model.address.basic_authentication() {
            return Ok(vec![basic]);
        }
        if model.key_is_optional {
            return Ok(Vec::new());
        }
    }
    model.auth.headers(request).await
}
