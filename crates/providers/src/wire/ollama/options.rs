//! Provider options of Ollama: fields of the request, and parameters of the model in its `options`.

use serde_json::{Map, Value};

use crate::wire::{KnownOptions, values::copy_options};

/// Fields of the request.
const FIELDS: [(&str, &str); 7] = [
    ("keepAlive", "keep_alive"),
    ("think", "think"),
    ("format", "format"),
    ("truncate", "truncate"),
    ("shift", "shift"),
    ("logprobs", "logprobs"),
    ("topLogprobs", "top_logprobs"),
];

/// Parameters of the model.
const PARAMETERS: [(&str, &str); 25] = [
    ("numCtx", "num_ctx"),
    ("numPredict", "num_predict"),
    ("numKeep", "num_keep"),
    ("numBatch", "num_batch"),
    ("numGpu", "num_gpu"),
    ("mainGpu", "main_gpu"),
    ("numThread", "num_thread"),
    ("numa", "numa"),
    ("useMmap", "use_mmap"),
    ("useMlock", "use_mlock"),
    ("seed", "seed"),
    ("stop", "stop"),
    ("temperature", "temperature"),
    ("topK", "top_k"),
    ("topP", "top_p"),
    ("minP", "min_p"),
    ("typicalP", "typical_p"),
    ("tfsZ", "tfs_z"),
    ("repeatLastN", "repeat_last_n"),
    ("repeatPenalty", "repeat_penalty"),
    ("presencePenalty", "presence_penalty"),
    ("frequencyPenalty", "frequency_penalty"),
    ("mirostat", "mirostat"),
    ("mirostatTau", "mirostat_tau"),
    ("mirostatEta", "mirostat_eta"),
];

pub(super) const KNOWN: KnownOptions = KnownOptions {
    names: &["ollama"],
    tables: &[&FIELDS, &PARAMETERS],
    others: &["options", "structuredOutputs", "strictJsonSchema"],
};

pub(super) fn put_fields(options: Option<&Map<String, Value>>, body: &mut Map<String, Value>) {
    copy_options(options, &FIELDS, body);
}

/// Adds the parameters that the user set, by their own names or inside `options`.
pub(super) fn put_parameters(options: Option<&Map<String, Value>>, parameters: &mut Map<String, Value>) {
    copy_options(options, &PARAMETERS, parameters);
    let inner = options.and_then(|options| options.get("options")).and_then(Value::as_object);
    copy_options(inner, &PARAMETERS, parameters);
    let is_other = |key: &String| !PARAMETERS.iter().any(|(name, wire)| key == name || key == wire);
    let others = inner.into_iter().flatten().filter(|(key, value)| is_other(key) && !value.is_null());
    parameters.extend(others.map(|(key, value)| (key.clone(), value.clone())));
}
