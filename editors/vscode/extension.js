// The extension: starts `lmthing lsp` once a prompt file is open, and shows what the server's commands print.
'use strict';

const vscode = require('vscode');
const { LanguageClient, State } = require('vscode-languageclient/node');

const PROMPT_FILE = /\.lmt\.(mjs|js|ts|mts)$/;
const LANGUAGES = ['javascript', 'typescript', 'json'];

let client;
let output;

function activate(context) {
  output = vscode.window.createOutputChannel('lmthing runs');
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand('lmthing.restart', restart),
    vscode.workspace.onDidOpenTextDocument(startFor),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('lmthing.path') || change.affectsConfiguration('lmthing.render')) restart();
    }),
  );
  vscode.workspace.textDocuments.forEach(startFor);
}

function deactivate() {
  return client?.stop();
}

function startFor(document) {
  if (!client && document.uri.scheme === 'file' && PROMPT_FILE.test(document.uri.path)) start();
}

function start() {
  const settings = vscode.workspace.getConfiguration('lmthing');
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const command = settings.get('path', 'lmthing').replace('${workspaceFolder}', folder ?? '.');
  client = new LanguageClient(
    'lmthing',
    'lmthing',
    { command, args: ['lsp'], options: { cwd: folder } },
    {
      // Files that are no prompt files may be imported by one: their unsaved text counts.
      documentSelector: LANGUAGES.map((language) => ({ scheme: 'file', language })),
      initializationOptions: { render: settings.get('render', true) },
      middleware: { executeCommand },
    },
  );
  client.start().catch(() => {
    vscode.window.showErrorMessage(`lmthing: cannot start ${command}. Install lmthing, or set lmthing.path.`);
  });
}

async function restart() {
  const running = client;
  client = undefined;
  if (running && running.state !== State.Stopped) await running.stop().catch(() => {});
  vscode.workspace.textDocuments.forEach(startFor);
}

// The lens names a file; from the command palette it is the one that is shown.
async function executeCommand(command, values) {
  const shown = vscode.window.activeTextEditor?.document.uri.toString();
  const file = typeof values[0] === 'string' ? values[0] : shown;
  if (!file) return undefined;
  const title = `${command.slice('lmthing.'.length)} ${vscode.workspace.asRelativePath(vscode.Uri.parse(file))}`;
  const opensDocument = command === 'lmthing.showRequest' || command === 'lmthing.view';
  if (!opensDocument) {
    output.appendLine(`\u25b6 ${title}`);
    output.show(true);
  }
  const progress = { location: vscode.ProgressLocation.Notification, title: `lmthing: ${title}`, cancellable: true };
  // A cancelled request ends its run.
  const request = (_, cancellation) =>
    client.sendRequest('workspace/executeCommand', { command, arguments: [file, ...values.slice(1)] }, cancellation);
  try {
    const result = await vscode.window.withProgress(progress, request);
    if (!opensDocument) {
      output.appendLine(`${result.stdout}${result.stderr}(exit code ${result.exitCode})\n`);
    } else if (result.exitCode !== 0) {
      vscode.window.showErrorMessage(`lmthing: ${(result.stderr || result.stdout).trim().split('\n')[0]}`);
    }
    return result;
  } catch (error) {
    output.appendLine(`(${error.message})\n`);
    return undefined;
  }
}

module.exports = { activate, deactivate };
