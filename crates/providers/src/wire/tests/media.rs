//! Images and files.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{body, encode, user, wire};
use crate::wire::{WireFormat, cohere::CohereWire, media::OFFICE_TYPES};
use lmthing_base::chat::{CallSettings, ContentPart, Message, ModelRequest, Role, ToolInput, ToolOutput, ToolPart};

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
fn images_and_files_are_sent_if_supported() {
    for (name, place, expected) in media_by_wire() {
        let body = body(name, vec![message()]);
        let content = body.pointer(place).and_then(Value::as_array).unwrap();
        assert_eq!(json!(content[1..]), expected, "{name}");
    }
    let request = ModelRequest { messages: vec![Rc::new(message())], ..ModelRequest::default() };
    let refused = CohereWire.encode(&request, "m").unwrap_err();
    assert_eq!(refused.to_string(), "tides.pdf: Cohere does not take application/pdf files in messages");
}

/// The content of the second part of a message with a file, or why it is refused.
fn encoded_file(name: &str, media_type: &str, data: &str) -> Result<Value, String> {
    let file = ContentPart::File {
        data: data.into(),
        media_type: media_type.into(),
        filename: Some("a b.c_d.x".into()),
        provider_options: None,
    };
    let message = Message::parts(Role::User, vec![ContentPart::text("See"), file]);
    let settings = CallSettings { cache: Some(lmthing_base::chat::CacheOption::Off), ..CallSettings::default() };
    let request = ModelRequest { messages: vec![Rc::new(message)], settings, ..ModelRequest::default() };
    let encoded = wire(name).encode(&request, "m").map_err(|refused| refused.to_string())?;
    let places = ["/messages/0/content/1", "/input/0/content/1", "/contents/0/parts/1"];
    Ok(places.iter().find_map(|place| encoded.body.pointer(place)).cloned().unwrap_or_default())
}

#[test]
fn sounds_are_sent_as_they_are() {
    let input = |format: &str| json!({ "type": "input_audio", "input_audio": { "data": "/+8A", "format": format } });
    for (name, media_type, expected) in [
        ("chat", "audio/wav", input("wav")),
        ("chat", "audio/mpeg", input("mp3")),
        ("compatible", "audio/mp4", input("m4a")),
        ("compatible", "audio/flac", input("flac")),
        ("mistral", "audio/mpeg", json!({ "type": "input_audio", "input_audio": "/+8A" })),
        ("bedrock", "audio/mpeg", json!({ "audio": { "format": "mp3", "source": { "bytes": "/+8A" } } })),
        ("bedrock", "video/quicktime", json!({ "video": { "format": "mov", "source": { "bytes": "/+8A" } } })),
        ("google", "audio/ogg", json!({ "inlineData": { "mimeType": "audio/ogg", "data": "/+8A" } })),
    ] {
        assert_eq!(encoded_file(name, media_type, "/+8A").unwrap(), expected, "{name}");
    }
    for (name, provider) in [("responses", "The Responses API"), ("anthropic", "Anthropic")] {
        let refused = encoded_file(name, "audio/wav", "/+8A").unwrap_err();
        assert!(
            refused.starts_with(&format!("a b.c_d.x: {provider} does not take audio/wav files in messages")),
            "{refused}"
        );
    }
}

#[test]
fn text_of_any_type_is_sent_as_text() {
    let text = json!({ "type": "text", "text": "é\n" });
    let document = json!({ "type": "document", "source": { "type": "text", "media_type": "text/plain", "data": "é\n" },
        "title": "a b.c_d.x" });
    for (name, expected) in [
        ("chat", text.clone()),
        ("mistral", text),
        ("responses", json!({ "type": "input_text", "text": "é\n" })),
        ("anthropic", document),
        ("bedrock", json!({ "document": { "format": "txt", "name": "a b-c-d", "source": { "bytes": "w6kK" } } })),
    ] {
        assert_eq!(encoded_file(name, "application/json", "w6kK").unwrap(), expected, "{name}");
    }
}

#[test]
fn office_files_are_sent_with_their_names() {
    let docx = OFFICE_TYPES[0];
    assert_eq!(
        encoded_file("responses", docx, "/+8A").unwrap(),
        json!({ "type": "input_file", "filename": "a b.c_d.x", "file_data": format!("data:{docx};base64,/+8A") })
    );
    assert!(
        encoded_file("responses", "application/zip", "/+8A").unwrap_err().contains("does not take application/zip")
    );
}

#[test]
fn documents_of_bedrock_have_different_names() {
    let pdf = |name: &str| ContentPart::File {
        data: "JVBERi0=".into(),
        media_type: "application/pdf".into(),
        filename: Some(name.into()),
        provider_options: None,
    };
    let names = ["report.pdf", "report.pdf", "v1.2 notes.pdf", "日本.pdf", ".pdf"];
    let body = body("bedrock", vec![Message::parts(Role::User, names.map(pdf).to_vec())]);
    let content = body["messages"][0]["content"].as_array().unwrap();
    let found: Vec<&str> = content.iter().filter_map(|block| block["document"]["name"].as_str()).collect();
    assert_eq!(found, ["report", "report (2)", "v1-2 notes", "document-4", "document-5"]);
}

fn results() -> Vec<Message> {
    let call = |id: &str| ContentPart::ToolCall {
        tool_call_id: id.into(),
        tool_name: "look".into(),
        input: ToolInput::from_text("{}"),
        provider_executed: false,
        provider_options: None,
    };
    let result = |id: &str, parts: Vec<ToolPart>| ContentPart::ToolResult {
        tool_call_id: id.into(),
        tool_name: "look".into(),
        output: ToolOutput::Content(parts),
        agents: Rc::default(),
        provider_options: None,
    };
    let text = ToolPart::Text { text: "a cat".into() };
    let picture = ToolPart::Media { data: "iVBORw0KGgoAAA".into(), media_type: "image/png".into() };
    let sound = ToolPart::Media { data: "UklGRg==".into(), media_type: "audio/wav".into() };
    vec![
        Message::parts(Role::Assistant, vec![call("a"), call("b")]),
        Message::parts(Role::Tool, vec![result("a", vec![text, picture]), result("b", vec![sound])]),
        user("And now?"),
    ]
}

#[test]
fn images_in_results_follow_in_a_user_message() {
    let shown = json!({ "role": "user", "content": [
        { "type": "text", "text": "From the result of look:" },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0KGgoAAA" } },
    ] });
    for (name, model, is_shown) in [
        ("chat", "gpt-4o", true),
        ("compatible", "some-model", true),
        ("compatible", "mistralai/Devstral-Small", false),
        ("groq", "meta-llama/llama-4-scout-17b-16e-instruct", true),
        ("groq", "llama-3.3-70b-versatile", false),
        ("cohere", "command-a-vision-07-2025", true),
        ("cohere", "command-a-03-2025", false),
    ] {
        let settings = CallSettings { cache: Some(lmthing_base::chat::CacheOption::Off), ..CallSettings::default() };
        let body = encode(wire(name).as_ref(), model, results(), settings).body;
        let messages = body["messages"].as_array().unwrap();
        let contents: Vec<&Value> = messages[1..3].iter().map(|message| &message["content"]).collect();
        assert_eq!(contents, [&json!("a cat\n[image/png]"), &json!("[audio/wav]")], "{name} {model}");
        assert_eq!(messages[3] == shown, is_shown, "{name} {model}: {}", messages[3]);
        assert_eq!(messages.len(), if is_shown { 5 } else { 4 });
    }
}

#[test]
fn mistral_accepts_images_in_results() {
    let body = body("mistral", results());
    let picture = json!({ "type": "image_url", "image_url": "data:image/png;base64,iVBORw0KGgoAAA" });
    assert_eq!(body["messages"][1]["content"], json!([{ "type": "text", "text": "a cat" }, picture]));
    assert_eq!(body["messages"][2]["content"], "[audio/wav]");
    assert_eq!(body["messages"][3]["role"], "user");
}
