//! The model of `ask` without `-m`.

use std::{collections::BTreeMap, rc::Rc};

use crate::cli::failure::WrongUsage;
use lmthing_providers::{KeyedProvider, ProviderContext, model_name, providers_with_keys, resolve};

const MODEL_VARIABLE: &str = "LMTHING_MODEL";

const LOCAL: &str = "local";

/// `LMTHING_MODEL`, else a model of the only provider with a key, else one on this machine. With the variable, if it is of
/// the variable.
pub(super) fn choose(variables: &BTreeMap<String, String>) -> Result<(String, Option<&'static str>), WrongUsage> {
    if let Some(named) = variables.get(MODEL_VARIABLE).map(|value| value.trim()).filter(|value| !value.is_empty()) {
        return Ok((named.to_owned(), Some(MODEL_VARIABLE)));
    }
    usual(&providers_with_keys(&ProviderContext::new(Rc::new(variables.clone())))).map(|model| (model, None))
}

/// What an alias stands for, or the model itself; `None` if there is none, as far as is known without asking for it.
pub(super) fn resolved_name(model: &str, variables: &BTreeMap<String, String>) -> Option<String> {
    let context = ProviderContext::new(Rc::new(variables.clone()));
    resolve(model, &context).ok()?;
    Some(if model == LOCAL { model.to_owned() } else { model_name(model, &context) })
}

fn usual(keyed: &[KeyedProvider]) -> Result<String, WrongUsage> {
    match keyed {
        [] => Ok(LOCAL.to_owned()),
        [only] => match only.usual_model {
            Some(model) => Ok(format!("{}:{model}", only.name)),
            None => {
                let message =
                    format!("there is a key for {}, but it is not known which of its models to ask", only.name);
                let hint = format!("name the model with -m {}:MODEL, or in {MODEL_VARIABLE}", only.name);
                Err(WrongUsage::new(message, hint))
            }
        },
        several => {
            let names: Vec<&str> = several.iter().map(|provider| provider.name.as_str()).collect();
            let message = format!("there are keys for several providers: {}", names.join(", "));
            let example =
                several.iter().find_map(|provider| Some(format!("{}:{}", provider.name, provider.usual_model?)));
            let example = example.map(|model| format!(", such as {model}")).unwrap_or_default();
            Err(WrongUsage::new(message, format!("name the model with -m MODEL, or in {MODEL_VARIABLE}{example}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lmthing_base::diagnostic::Diagnostic;

    fn chosen(variables: &[(&str, &str)]) -> Result<String, Box<Diagnostic>> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        choose(&variables.collect()).map(|(model, _)| model).map_err(|wrong| Box::new(Diagnostic::from(wrong)))
    }

    #[test]
    fn a_named_model_wins_and_then_the_only_key() {
        let (openai, groq) = (("OPENAI_API_KEY", "secret-1"), ("GROQ_API_KEY", "secret-2"));
        assert_eq!(chosen(&[]).unwrap(), "local");
        assert_eq!(chosen(&[("OPENAI_API_KEY", " "), ("OLLAMA_HOST", "1.2.3.4")]).unwrap(), "local");
        assert_eq!(chosen(&[openai, groq, (MODEL_VARIABLE, " fast ")]).unwrap(), "fast");
        assert!(chosen(&[openai, (MODEL_VARIABLE, "")]).unwrap().starts_with("openai:"));
        let several = chosen(&[openai, groq]).unwrap_err();
        assert_eq!(several.message, "there are keys for several providers: openai, groq");
        let hint = several.hint.as_deref().unwrap();
        assert!(hint.contains("-m MODEL") && hint.contains(MODEL_VARIABLE) && !hint.contains("secret"), "{hint}");
    }

    #[test]
    fn a_provider_whose_models_have_names_of_their_own_needs_one() {
        let lab = [("LAB_API_BASE", "http://127.0.0.1:1"), ("LAB_API_TYPE", "openai"), ("LAB_API_KEY", "secret")];
        assert_eq!(chosen(&lab[..2]).unwrap(), "local");
        assert!(chosen(&lab).unwrap_err().hint.unwrap().contains("-m lab:MODEL"));
        assert!(chosen(&[("AZURE_API_KEY", "secret")]).unwrap_err().hint.unwrap().contains("-m azure:MODEL"));
    }
}
