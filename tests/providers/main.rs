//! Models of providers, against servers on this machine.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

#[path = "../support/mod.rs"]
mod support;

mod any_field;
mod batches;
mod cache_breaks;
mod cache_option;
mod cache_page;
mod cache_servers;
mod connect;
mod credentials;
mod credentials_aws;
mod credentials_azure;
mod credentials_google;
mod cut;
mod ends;
mod errors;
mod http;
mod limits;
mod local;
mod odd_answers;
mod ollama;
mod pace;
mod provider_tools;
mod proxies;
mod real_models;
mod recordings;
mod replay;
mod retries;
mod secrets;
mod setup;
mod shapes;
mod steps;
mod tool_forms;
mod waits;
