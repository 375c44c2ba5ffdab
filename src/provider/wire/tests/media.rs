//! Images and files.

use std::rc::Rc;

use serde_json::{Value, json};

use super::body;
use crate::{
    chat::{ContentPart, Message, ModelRequest, Role},
    provider::wire::{WireFormat, cohere::CohereWire},
};

/// A text, an image and a document.
fn message() -> Message {
    let image = ContentPart::Image { image: "iVBORw0KGgoAAA".into(), media_type: None, provider_options: None };
    let pdf = ContentPart::File {
        data: "JVBERi0=".into(),
        media_type: "application/pdf".into(),
        filename: Some("tides.pdf".into()),
        provider_options: None,
    };
    Message::parts(Role::User, vec![ContentPart::text("See"), image, pdf])
}

/// `(wire, where the content stands, what follows the text in it)`
fn media_by_wire() -> [(&'static str, &'static str, Value); 6] {
    let image_url = "data:image/png;base64,iVBORw0KGgoAAA";
    let pdf_url = "data:application/pdf;base64,JVBERi0=";
    [
        (
            "responses",
            "/input/0/content",
            json!([
                { "type": "input_image", "image_url": image_url },
                { "type": "input_file", "filename": "tides.pdf", "file_data": pdf_url },
            ]),
        ),
        (
            "chat",
            "/messages/0/content",
            json!([
                { "type": "image_url", "image_url": { "url": image_url } },
                { "type": "file", "file": { "filename": "tides.pdf", "file_data": pdf_url } },
            ]),
        ),
        (
            "mistral",
            "/messages/0/content",
            json!([
                { "type": "image_url", "image_url": image_url },
                { "type": "document_url", "document_url": pdf_url },
            ]),
        ),
        (
            "anthropic",
            "/messages/0/content",
            json!([
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAA" } },
                {
                    "type": "document",
                    "source": { "type": "base64", "media_type": "application/pdf", "data": "JVBERi0=" },
                    "title": "tides.pdf",
                },
            ]),
        ),
        (
            "google",
            "/contents/0/parts",
            json!([
                { "inlineData": { "mimeType": "image/png", "data": "iVBORw0KGgoAAA" } },
                { "inlineData": { "mimeType": "application/pdf", "data": "JVBERi0=" } },
            ]),
        ),
        (
            "bedrock",
            "/messages/0/content",
            json!([
                { "image": { "format": "png", "source": { "bytes": "iVBORw0KGgoAAA" } } },
                { "document": { "format": "pdf", "name": "tides", "source": { "bytes": "JVBERi0=" } } },
            ]),
        ),
    ]
}

#[test]
fn images_and_files_go_out_where_the_provider_takes_them() {
    for (name, place, expected) in media_by_wire() {
        let body = body(name, vec![message()]);
        let content = body.pointer(place).and_then(Value::as_array).unwrap();
        assert_eq!(json!(content[1..]), expected, "{name}");
    }
    let request = ModelRequest { messages: vec![Rc::new(message())], ..ModelRequest::default() };
    let refused = CohereWire.encode(&request, "m").unwrap_err();
    assert_eq!(refused, "Cohere does not take application/pdf files in messages");
}
