//! Which authorisation a request carries: that of the key, else what the user gave in its place.

use reqwest::header::HeaderMap;

use super::model::HttpModel;
use crate::provider::auth::{AuthFailure, Unauthorised};

/// The headers that any of the providers takes for authorisation.
const HEADERS: [&str; 4] = ["authorization", "api-key", "x-api-key", "x-goog-api-key"];

/// The headers that authorise a request. `own` are those of the settings and the call.
///
/// A key wins. Without one, an authorisation in `own` is enough, then user name and password of the base URL; a server that
/// may want none gets none.
pub(super) async fn authorise(
    model: &HttpModel,
    request: &Unauthorised<'_>,
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
