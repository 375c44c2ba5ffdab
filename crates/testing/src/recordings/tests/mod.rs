mod record;
mod replay;
mod support;
