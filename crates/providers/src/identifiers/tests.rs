use std::{collections::BTreeSet, rc::Rc};

use serde_json::json;

use super::*;
use lmthing_base::chat::{ContentPart, Message, Role, ToolChoice, ToolOutput, ToolSpec};

fn call(id: &str, name: &str) -> ContentPart {
    ContentPart::ToolCall {
        tool_call_id: id.into(),
        tool_name: name.into(),
        input: json!({}).into(),
        provider_executed: false,
        provider_options: None,
    }
}

fn result(id: &str, name: &str) -> ContentPart {
    ContentPart::ToolResult {
        tool_call_id: id.into(),
        tool_name: name.into(),
        output: ToolOutput::Text("r".into()),
        agents: [].into(),
        provider_options: None,
    }
}

fn tool(name: &str) -> ToolSpec {
    let description = String::new();
    ToolSpec { name: name.into(), description, input_schema: json!({}), provider_options: None, provider_tool: None }
}

/// A step for each list: calls and their results.
fn history(steps: &[&[(&str, &str)]]) -> Vec<Rc<Message>> {
    let step = |calls: &&[(&str, &str)]| {
        let parts = |part: fn(&str, &str) -> ContentPart| calls.iter().map(|(id, name)| part(id, name)).collect();
        [Message::parts(Role::Assistant, parts(call)), Message::parts(Role::Tool, parts(result))]
    };
    steps.iter().flat_map(step).map(Rc::new).collect()
}

fn request(tools: &[&str], messages: Vec<Rc<Message>>) -> ModelRequest {
    ModelRequest { tools: tools.iter().map(|name| tool(name)).collect(), messages, ..ModelRequest::default() }
}

fn ids(request: &ModelRequest) -> Vec<String> {
    let parts = request.messages.iter().flat_map(|message| message.content_parts());
    let id = |part: &ContentPart| match part {
        ContentPart::ToolCall { tool_call_id, .. } | ContentPart::ToolResult { tool_call_id, .. } => {
            tool_call_id.clone()
        }
        part => panic!("{part:?}"),
    };
    parts.map(id).collect()
}

fn names(request: &ModelRequest) -> Vec<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn sent(identifiers: &Identifiers, tools: &[&str]) -> Vec<String> {
    let mut request = request(tools, Vec::new());
    let replaced = identifiers.replace(&mut request);
    for (given, sent) in tools.iter().zip(names(&request)) {
        let (id, tool_name) = ("c".to_owned(), sent.to_owned());
        let part = replaced.restored(StreamPart::ToolInputStart { id, tool_name });
        assert!(matches!(part, StreamPart::ToolInputStart { tool_name, .. } if tool_name == *given));
    }
    names(&request).into_iter().map(str::to_owned).collect()
}

#[test]
fn refused_names_are_replaced_and_restored() {
    let given = ["get.weather", "größe", "1st", "a-b", "plain"];
    for (identifiers, expected) in [
        (Identifiers::OPENAI, ["get_weather", "gr__e", "1st", "a-b", "plain"]),
        (Identifiers::ANTHROPIC, ["get_weather", "gr__e", "1st", "a-b", "plain"]),
        (Identifiers::GEMINI, ["get.weather", "gr__e", "_1st", "a-b", "plain"]),
        (Identifiers::COHERE, ["get_weather", "gr__e", "_1st", "a_b", "plain"]),
        (Identifiers::MOONSHOT, ["get_weather", "gr__e", "t1st", "a-b", "plain"]),
    ] {
        assert_eq!(sent(&identifiers, &given), expected, "{identifiers:?}");
    }
}

#[test]
fn names_stay_distinct_whatever_their_order() {
    let long = |end: &str| format!("{}{end}", "x".repeat(90));
    let (one, two) = (long("1"), long("2"));
    let given = ["a.b", "a:b", "a_b", "é", "è", &one, &two, "_"];
    let forward = sent(&Identifiers::OPENAI, &given);
    assert_eq!(forward.iter().collect::<BTreeSet<_>>().len(), given.len(), "{forward:?}");
    assert!(forward.iter().all(|name| PLAIN_NAMES.accepts(name)), "{forward:?}");
    assert_eq!((forward[2].as_str(), forward[7].as_str()), ("a_b", "_"));
    let reversed: Vec<&str> = given.iter().rev().copied().collect();
    let mut backward = sent(&Identifiers::OPENAI, &reversed);
    backward.reverse();
    assert_eq!(forward, backward);
}

#[test]
fn choice_and_history_have_the_replaced_name() {
    let mut request = request(&["get.weather"], history(&[&[("c1", "get.weather"), ("c2", "old.tool")]]));
    request.settings.tool_choice = Some(ToolChoice::Tool("get.weather".into()));
    Identifiers::OPENAI.replace(&mut request);
    assert_eq!(request.settings.tool_choice, Some(ToolChoice::Tool("get_weather".into())));
    let expected = history(&[&[("c1", "get_weather"), ("c2", "old_tool")]]);
    assert_eq!(request.messages, expected);
}

#[test]
fn calls_of_the_provider_keep_their_name_and_id() {
    let mut own = call("srv.1", "web.search");
    if let ContentPart::ToolCall { provider_executed, .. } = &mut own {
        *provider_executed = true;
    }
    let message = Message::parts(Role::Assistant, vec![own, result("srv.1", "web.search")]);
    let mut request = request(&["a.b"], vec![Rc::new(message.clone())]);
    let replaced = Identifiers::MISTRAL.replace(&mut request);
    assert_eq!(*request.messages[0], message);
    let (tool_call_id, tool_name) = ("srv.1".to_owned(), "a_b".to_owned());
    let part = StreamPart::ToolCall {
        tool_call_id,
        tool_name,
        input: "{}".into(),
        provider_executed: true,
        provider_metadata: None,
    };
    assert_eq!(replaced.restored(part.clone()), part);
}

#[test]
fn ids_of_other_providers_are_replaced_the_same_way_each_time() {
    let foreign = ["toolu_bdrk_01A", "toolu_bdrk_01B", "functions.get:0", "Ab3dEf6hI"];
    let steps: Vec<[(&str, &str); 1]> = foreign.iter().map(|id| [(*id, "t")]).collect();
    let steps: Vec<&[(&str, &str)]> = steps.iter().map(|step| step.as_slice()).collect();
    let replaced = |identifiers: &Identifiers, count: usize| {
        let mut request = request(&[], history(&steps[..count]));
        identifiers.replace(&mut request);
        ids(&request)
    };
    let all = replaced(&Identifiers::MISTRAL, 4);
    assert!(all.iter().all(|id| NINE_LETTERS.accepts(id)), "{all:?}");
    assert!(all.chunks(2).all(|pair| pair[0] == pair[1]), "{all:?}");
    assert_eq!((all.iter().collect::<BTreeSet<_>>().len(), all[6].as_str()), (4, "Ab3dEf6hI"));
    assert_eq!(all[..4], replaced(&Identifiers::MISTRAL, 2));
    let anthropic = replaced(&Identifiers::ANTHROPIC, 4);
    assert_eq!((anthropic[0].as_str(), anthropic[4].starts_with("functions_get_0_")), ("toolu_bdrk_01A", true));
    assert_eq!(replaced(&Identifiers::COMPATIBLE, 4)[4], "functions.get:0");
}

#[test]
fn long_ids_are_shortened() {
    let (one, two) = ("a".repeat(70), format!("{}b", "a".repeat(69)));
    let mut request = request(&[], history(&[&[(&one, "t"), (&two, "t")]]));
    Identifiers::OPENAI_CHAT.replace(&mut request);
    let ids = ids(&request);
    assert!(ids.iter().all(|id| id.len() == 40), "{ids:?}");
    assert_eq!((ids[0] == ids[2], ids[1] == ids[3], ids[0] == ids[1]), (true, true, false));
}

#[test]
fn calls_with_the_same_id_are_told_apart() {
    let mut request =
        request(&[], history(&[&[("call_0", "t"), ("call_1", "t")], &[("call_0", "t")], &[("call_0", "t")]]));
    Identifiers::ANTHROPIC.replace(&mut request);
    let ids = ids(&request);
    assert_eq!(ids[..4], ["call_0", "call_1", "call_0", "call_1"]);
    assert_eq!((&ids[4], &ids[6]), (&ids[5], &ids[7]));
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 4, "{ids:?}");
}
