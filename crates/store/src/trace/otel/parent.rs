//! The parent span of a run: `TRACEPARENT` and `TRACESTATE`, in the form of the W3C's Trace Context.

use std::collections::HashMap;

use opentelemetry::{
    Context,
    propagation::TextMapPropagator,
    trace::{SpanContext, TraceContextExt},
};
use opentelemetry_sdk::propagation::TraceContextPropagator;

/// The parent span; `None` if the header is invalid.
pub(super) fn parent(traceparent: &str, tracestate: Option<&str>) -> Option<SpanContext> {
    let traceparent = traceparent.trim();
    if !has_valid_lengths(traceparent) {
        return None;
    }
    let mut carrier = HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
    carrier.extend(tracestate.map(|state| ("tracestate".to_owned(), state.trim().to_owned())));
    let context = TraceContextPropagator::new().extract_with_context(&Context::new(), &carrier);
    let parent = context.span().span_context().clone();
    parent.is_valid().then_some(parent)
}

/// Whether the fields have the right lengths; the propagator also accepts shorter ones.
fn has_valid_lengths(traceparent: &str) -> bool {
    let mut fields = traceparent.split('-');
    let lengths = [2, 32, 16, 2];
    lengths.into_iter().all(|length| {
        fields.next().is_some_and(|field| field.len() == length && field.bytes().all(|byte| byte.is_ascii_hexdigit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_headers_are_parents() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let found = parent(good, Some("vendor=1,other=2")).unwrap();
        assert_eq!(found.trace_id().to_string(), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(found.span_id().to_string(), "b7ad6b7169203331");
        assert_eq!(found.trace_state().header(), "vendor=1,other=2");
        assert!(found.is_sampled() && found.is_remote());
        assert!(!parent(&good.replace("-01", "-00"), None).unwrap().is_sampled());
        assert_eq!(parent(good, Some("=,;")).unwrap().trace_state().header(), "");
        let wrong = [
            "",
            "nonsense",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        ];
        assert_eq!(wrong.map(|text| parent(text, None).is_some()), [false; 9]);
    }
}
