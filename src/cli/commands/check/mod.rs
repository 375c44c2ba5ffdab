//! `lmthing check [PATH]…` (docs/reference/check.md).

mod files;
mod findings;
mod github;
mod json;
mod parallel;
mod pretty;
mod render;

use std::{num::NonZeroUsize, path::PathBuf, thread};

use serde_json::Value;

use self::{
    findings::{FindingCollector, Rules},
    parallel::{CheckedFile, check_all},
    pretty::Pretty,
};
use super::{input::shared_sources, prompt_file::ENDINGS, watch::WatchLoop};
use crate::cli::{
    ExitCode, Printer,
    check_args::{CheckArgs, CheckFormat},
    env,
    failure::{WrongUsage, io_error_text},
};
use lmthing_base::cost::similar_model;
use lmthing_check::{CheckOptions, Finding, check_input};
use lmthing_system::{files::FileReporter, process::exit_with_parent};

pub(in crate::cli) fn run(args: &CheckArgs, printer: &Printer) -> ExitCode {
    if args.watch && args.report_files.is_none() {
        return watch(args).run_until_signal(printer);
    }
    if args.report_files.is_some() {
        exit_with_parent();
    }
    match check(args, printer) {
        Ok(code) => code,
        Err(wrong) => {
            printer.diagnostic(&wrong.into());
            ExitCode::Usage
        }
    }
}

fn watch(args: &CheckArgs) -> WatchLoop {
    let mut files: Vec<PathBuf> = args.env_file.clone();
    files.extend(args.paths.iter().cloned());
    WatchLoop { command: "check", run: "the check", again: "checking again", files, is_quiet: args.quiet }
}

fn check(args: &CheckArgs, printer: &Printer) -> Result<ExitCode, WrongUsage> {
    let environment = env::with_files(&std::env::current_dir().unwrap_or_default(), &args.env_file);
    if let Some(wrong) = environment.wrong {
        return Err(wrong);
    }
    let found = files::find(&args.paths)?;
    for problem in environment.problems.iter().chain(&found.problems) {
        printer.stderr(&format!("Warning: {problem}\n"));
    }
    let reporter = FileReporter::to(args.report_files.as_deref())
        .map_err(|error| WrongUsage::plain(format!("--report-files: {}", io_error_text(&error))))?;
    // New files may appear in the folders.
    found.files.iter().chain(&found.folders).for_each(|path| reporter.note_read(path));
    let options = CheckOptions {
        render: !args.no_render,
        input: args.input.clone(),
        is_strict: args.strict,
        cache: args.cache,
        near_model: |provider, id| similar_model(provider, id, &jiff::Timestamp::now().strftime("%F").to_string()),
        ..CheckOptions::new(shared_sources(&reporter), environment.variables)
    };
    check_input(&options)?;
    let rules = Rules { is_strict: args.strict, is_quiet: args.quiet };
    let mut output = CheckOutput::new(args, rules, printer);
    check_all(&found.files, &options, args.print, jobs(args.jobs), |file, checked| {
        match found.files.len() {
            1 => printer.stderr(&checked.printed),
            _ => checked.printed.lines().for_each(|line| printer.stderr(&format!("{}: {line}\n", file.display()))),
        }
        report(&reporter, &checked);
        output.add(file, checked);
    });
    Ok(output.end(&found.files))
}

/// Reports the files to watch; if an import fails, also the folders in which its file may appear.
fn report(reporter: &FileReporter, checked: &CheckedFile) {
    let lacks_import = checked.findings.iter().any(|finding| finding.code == "import" || finding.code == "TS2307");
    let folders = checked.files.iter().filter(|_| lacks_import).filter_map(|file| file.parent());
    checked.files.iter().map(PathBuf::as_path).chain(folders).for_each(|path| reporter.note_read(path));
}

fn jobs(wanted: Option<NonZeroUsize>) -> usize {
    wanted.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

struct CheckOutput<'a> {
    printer: &'a Printer,
    args: &'a CheckArgs,
    collector: FindingCollector,
    pretty: Pretty,
    workspace: Option<PathBuf>,
    findings: Vec<Finding>,
    renders: Vec<Value>,
}

impl<'a> CheckOutput<'a> {
    fn new(args: &'a CheckArgs, rules: Rules, printer: &'a Printer) -> Self {
        CheckOutput {
            printer,
            args,
            collector: FindingCollector::new(rules),
            pretty: Pretty::new(printer.stdout_has_colours(), printer.columns()),
            workspace: std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from),
            findings: Vec::new(),
            renders: Vec::new(),
        }
    }

    fn add(&mut self, file: &std::path::Path, checked: CheckedFile) {
        let findings = self.collector.add(file, checked.findings);
        match self.args.format {
            CheckFormat::Pretty => {
                if let Some(render) = checked.render {
                    self.printer.styled(&render.text(file, self.printer.stdout_has_colours()));
                }
                findings.iter().for_each(|finding| self.printer.styled(&self.pretty.text(finding)));
            }
            CheckFormat::Github => {
                let command = |finding: &Finding| github::command(finding, self.workspace.as_deref());
                findings.iter().for_each(|finding| self.printer.text(&command(finding)));
            }
            CheckFormat::Json => {
                self.renders.extend(checked.render.map(|render| render.to_json(file)));
                self.findings.extend(findings);
            }
        }
        self.printer.flush();
    }

    fn end(self, files: &[PathBuf]) -> ExitCode {
        let is_ok = self.collector.is_ok() && !files.is_empty();
        if files.is_empty() {
            let folders: Vec<String> = self.args.paths.iter().map(|path| path.display().to_string()).collect();
            let place = if folders.is_empty() { String::new() } else { format!(" in {}", folders.join(", ")) };
            let endings = ENDINGS.join(", ");
            self.printer.stderr(&format!("Error: there is no prompt file to check{place} (*{endings})\n"));
        }
        match self.args.format {
            CheckFormat::Json => {
                let renders = self.args.print.then_some(self.renders);
                let counts = self.collector.counts();
                self.printer.text(&json::document(is_ok, counts, files, &self.findings, renders));
            }
            CheckFormat::Github => {}
            CheckFormat::Pretty if files.is_empty() || (self.args.quiet && is_ok) => {}
            CheckFormat::Pretty => self.printer.text(&format!("{}\n", self.collector.summary())),
        }
        self.printer.flush();
        if is_ok { ExitCode::Done } else { ExitCode::File }
    }
}
