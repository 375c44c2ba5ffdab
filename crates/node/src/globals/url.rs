//! Native half of `URL` and `URLSearchParams`, using the `url` crate.

use rquickjs::{Ctx, Function, Object, Result};
use url::{Url, form_urlencoded, quirks};

use crate::native_module::NativeModule;
use crate::string_text::WellFormed;

/// The parts of a URL, in the order that `web/url.js` expects.
fn components(url: &Url) -> Vec<String> {
    vec![
        quirks::href(url).to_owned(),
        quirks::origin(url),
        quirks::protocol(url).to_owned(),
        quirks::username(url).to_owned(),
        quirks::password(url).to_owned(),
        quirks::host(url).to_owned(),
        quirks::hostname(url).to_owned(),
        quirks::port(url).to_owned(),
        quirks::pathname(url).to_owned(),
        quirks::search(url).to_owned(),
        quirks::hash(url).to_owned(),
    ]
}

/// `parse(input, base?)`: the components, or `undefined` when the input is not a URL.
fn parse(input: String, base: Option<String>) -> Option<Vec<String>> {
    let url = match base {
        Some(base) => Url::parse(&base).ok()?.join(&input),
        None => Url::parse(&input),
    };
    Some(components(&url.ok()?))
}

/// `set(href, name, value)`: the components after a setter ran; `undefined` for an invalid `href`. An invalid value
/// changes nothing, as the standard requires.
fn set(href: String, name: String, value: String) -> Option<Vec<String>> {
    let mut url = Url::parse(&href).ok()?;
    // The standard ignores values that a setter refuses.
    let _ = match name.as_str() {
        "href" => return quirks::set_href(&mut url, &value).ok().map(|()| components(&url)),
        "protocol" => quirks::set_protocol(&mut url, &value),
        "username" => quirks::set_username(&mut url, &value),
        "password" => quirks::set_password(&mut url, &value),
        "host" => quirks::set_host(&mut url, &value),
        "hostname" => quirks::set_hostname(&mut url, &value),
        "port" => quirks::set_port(&mut url, &value),
        "pathname" => {
            quirks::set_pathname(&mut url, &value);
            Ok(())
        }
        "search" => {
            quirks::set_search(&mut url, &value);
            Ok(())
        }
        "hash" => {
            quirks::set_hash(&mut url, &value);
            Ok(())
        }
        _ => Ok(()),
    };
    Some(components(&url))
}

/// `parseQuery(text)`: names and values in turn, decoded as `application/x-www-form-urlencoded`.
fn parse_query(text: String) -> Vec<String> {
    form_urlencoded::parse(text.as_bytes()).flat_map(|(name, value)| [name.into_owned(), value.into_owned()]).collect()
}

/// `serializeQuery(pairs)`: the inverse of `parseQuery`.
fn serialize_query(pairs: Vec<String>) -> String {
    let mut serializer = form_urlencoded::Serializer::new(String::new());
    for pair in pairs.chunks_exact(2) {
        serializer.append_pair(&pair[0], &pair[1]);
    }
    serializer.finish()
}

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/url", init: exports };

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    exports.set("parse", Function::new(ctx.clone(), parse)?)?;
    exports.set("set", Function::new(ctx.clone(), set)?)?;
    exports.set("parseQuery", Function::new(ctx.clone(), parse_query)?)?;
    exports.set("serializeQuery", Function::new(ctx.clone(), serialize_query)?)?;
    exports.set(
        "domainToASCII",
        Function::new(ctx.clone(), |WellFormed(domain): WellFormed| quirks::domain_to_ascii(&domain))?,
    )?;
    exports.set(
        "domainToUnicode",
        Function::new(ctx.clone(), |WellFormed(domain): WellFormed| quirks::domain_to_unicode(&domain))?,
    )?;
    Ok(exports)
}
