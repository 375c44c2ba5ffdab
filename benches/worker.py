#!/usr/bin/env python3
"""Prints the figures of docs/guide/restate.md: runs of three steps on Restate, with nothing and everything killed meanwhile.

    cargo build --release --ignore-rust-version
    npm install --prefix /tmp/restate @restatedev/restate-server
    python3 benches/worker.py --server /tmp/restate/node_modules/@restatedev/restate-server-linux-x64/bin/restate-server

Python 3.9 or newer on Linux, standard library only. Nothing here fails on a time. A provider on this machine answers each
request after 50 ms and counts it.
"""

import argparse
import asyncio
import collections
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PROMPT = """
import { z } from 'zod';
export const config = { model: 'lab:m' };
export const input = z.object({ id: z.string() });
export default ({ $, defTool }, { id }) => {
  defTool('work', 'Works.', z.object({ n: z.number() }), ({ n }) => 'x'.repeat(4096) + n);
  $`You are who=${id}.`;
};
"""

STEPS = 3


class Provider:
    """Calls the tool in all steps but the last one, and counts what it is asked: (who, step)."""

    def __init__(self):
        self.asked = collections.Counter()

    async def start(self):
        server = await asyncio.start_server(self.answer, '127.0.0.1', 0, backlog=2048)
        self.port = server.sockets[0].getsockname()[1]

    async def answer(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b'\r\n\r\n')
                lengths = [line.split(b':')[1] for line in head.split(b'\r\n') if line.lower().startswith(b'content-length:')]
                body = json.loads(await reader.readexactly(int(lengths[0])))
                step = sum(message['role'] == 'assistant' for message in body['messages'])
                who = json.dumps(body['messages']).split('who=')[1].split('.')[0]
                self.asked[f'{who} {step}'] += 1
                await asyncio.sleep(0.05)
                call = {'index': 0, 'id': f'c{step}', 'type': 'function', 'function': {'name': 'work', 'arguments': '{"n":%d}' % step}}
                delta = {'content': f'{who} is done'} if step == STEPS - 1 else {'tool_calls': [call]}
                reason = 'stop' if step == STEPS - 1 else 'tool_calls'
                usage = {'prompt_tokens': 10, 'completion_tokens': 2, 'total_tokens': 12}
                chunks = [{'choices': [{'delta': delta}]}, {'choices': [{'delta': {}, 'finish_reason': reason}], 'usage': usage}]
                text = ''.join(f'data: {json.dumps(chunk)}\n\n' for chunk in chunks) + 'data: [DONE]\n\n'
                writer.write(f'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(text)}\r\n\r\n{text}'.encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()


async def ask(port, method, path, body=None):
    """Status and body of an answer."""
    reader, writer = await asyncio.open_connection('127.0.0.1', port)
    text = b'' if body is None else json.dumps(body).encode()
    kind = '' if body is None else 'content-type: application/json\r\n'
    writer.write(f'{method} {path} HTTP/1.0\r\naccept: application/json\r\n{kind}content-length: {len(text)}\r\n\r\n'.encode() + text)
    answer = await reader.read(-1)
    writer.close()
    head, _, text = answer.partition(b'\r\n\r\n')
    return int(head.split(b' ')[1]), text


async def until(what, seconds=300):
    """Waits until `what()` is true; an answer that does not come is none."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if await what():
                return
        except (OSError, ValueError, IndexError):
            pass
        await asyncio.sleep(0.02)
    sys.exit('it did not come about')


class Lab:
    def __init__(self, binary, server, folder, provider):
        self.binary, self.server, self.folder, self.provider = binary, server, folder, provider
        # Ports below those of outgoing connections.
        self.ingress, self.admin, self.node, self.port = (12000 + os.getpid() % 4000 * 4 + place for place in range(4))
        self.processes, self.peaks = {}, collections.Counter()

    def spawn(self, name, command, env):
        log = open(self.folder / f'{name}.log', 'ab')
        env = {**os.environ, **env}
        self.processes[name] = subprocess.Popen(command, cwd=self.folder, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill(self, name):
        process = self.processes.pop(name)
        self.peaks[name] = max(self.peaks[name], peak(process.pid))
        process.send_signal(signal.SIGKILL)
        process.wait()

    def start_server(self):
        command = [self.server, '--no-logo', '--bind-ip', '127.0.0.1', '--listen-mode', 'tcp', '--node-name', 'lab']
        env = {'RESTATE_DISABLE_TELEMETRY': 'true', 'RESTATE_INGRESS__BIND_PORT': str(self.ingress), 'RESTATE_ADMIN__BIND_PORT': str(self.admin)}
        self.spawn('server', [*command, '--bind-port', str(self.node), '--base-dir', str(self.folder / 'data')], env)

    def start_worker(self):
        command = [str(self.binary), 'worker', 'p.lmt.mjs', '--listen', f'127.0.0.1:{self.port}', '--journal', 'worker.db', '--jobs', '128']
        base = f'http://127.0.0.1:{self.provider.port}/v1'
        self.spawn('worker', [*command, '--register', f'http://127.0.0.1:{self.admin}'], {'LAB_API_TYPE': 'openai', 'LAB_API_BASE': base})

    async def query(self, sql):
        status, text = await ask(self.admin, 'POST', '/query', {'query': sql})
        if status != 200:
            raise ValueError(text)
        return json.loads(text)['rows']

    async def serves(self):
        return await self.query('SELECT count(*) AS n FROM sys_invocation') is not None

    async def is_registered(self):
        return (await ask(self.admin, 'GET', '/services/p'))[0] == 200

    async def run(self, runs, kills):
        """Submits runs and waits for all; at each of `kills`, a part of all requests, a process is killed and started again."""
        asked_before = sum(self.provider.asked.values())
        mark = f'{time.monotonic_ns()}x'
        start = time.perf_counter()
        ids = []
        for begin in range(0, runs, 50):
            sent = [ask(self.ingress, 'POST', '/p/run/send', {'id': f'{mark}{n}'}) for n in range(begin, min(begin + 50, runs))]
            ids += [json.loads(text)['invocationId'] for _, text in await asyncio.gather(*sent)]
        settled = {}
        for part, name in kills:
            async def reached():
                return sum(self.provider.asked.values()) - asked_before >= runs * STEPS * part
            await until(reached)
            self.kill(name)
            if name == 'worker':
                answered = self.answered()
                settled.update({name: self.provider.asked[name] for name in answered if name.startswith(mark)})
                self.start_worker()
            else:
                self.start_server()
        # The server tells when all are done, without hundreds of connections.
        async def are_done():
            done = await self.query("SELECT count(*) AS n FROM sys_invocation WHERE status = 'completed'")
            return done[0]['n'] >= self.expected
        self.expected += runs
        await until(are_done)
        took = time.perf_counter() - start
        lost = 0
        for n, id in enumerate(ids):
            status, text = await ask(self.ingress, 'GET', f'/restate/invocation/{id}/output')
            lost += status != 200 or json.loads(text) != f'{mark}{n} is done'
        asked = {name: times for name, times in self.provider.asked.items() if name.startswith(mark)}
        again = sum(asked[name] > times for name, times in settled.items())
        return took, lost, again, sum(asked.values()) - runs * STEPS

    expected = 0

    def answered(self):
        """The names of requests that the worker's journal has an answer to, of a copy."""
        with tempfile.TemporaryDirectory() as folder:
            for end in ['', '-wal']:
                if (self.folder / f'worker.db{end}').exists():
                    shutil.copy(self.folder / f'worker.db{end}', folder)
            found, names = {}, []
            for key, text in sqlite3.connect(f'{folder}/worker.db').execute('SELECT (at >> 32) || key, entry FROM entries ORDER BY at'):
                # Some kinds of entries are a word alone.
                entry = json.loads(text)
                entry = entry.get('answered') if isinstance(entry, dict) else None
                if entry:
                    if 'who=' in text:
                        found.setdefault(key, text.split('who=')[1].split('.')[0])
                    names.append(f"{found[key]} {entry['step']}")
            return names


def peak(pid):
    """The most memory of a process, in MB."""
    status = Path(f'/proc/{pid}/status').read_text()
    return int(status.split('VmHWM:')[1].split()[0]) // 1024


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    target = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target'))
    parser.add_argument('--binary', type=Path, default=target / 'release' / 'lmthing')
    parser.add_argument('--server', required=True, help="Restate's server")
    parser.add_argument('--runs', type=int, default=500)
    options = parser.parse_args()
    provider = Provider()
    await provider.start()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / 'p.lmt.mjs').write_text(PROMPT)
        lab = Lab(options.binary.resolve(), options.server, folder, provider)
        try:
            lab.start_server()
            await until(lab.serves)
            lab.start_worker()
            await until(lab.is_registered)
            rows = [
                ('one run', 1, []),
                ('nothing killed', options.runs, []),
                ('nothing killed', options.runs, []),
                ('the worker killed', options.runs, [(0.5, 'worker')]),
                ('the worker killed three times', options.runs, [(0.25, 'worker'), (0.5, 'worker'), (0.75, 'worker')]),
                ('the server killed', options.runs, [(0.5, 'server')]),
                ('both killed', options.runs, [(0.33, 'worker'), (0.66, 'server')]),
            ]
            for name, runs, kills in rows:
                took, lost, again, more = await lab.run(runs, kills)
                print(f'{runs:4} runs, {name:30} {took:6.2f} s, {lost} lost, {again} answered requests asked again, {more} broken off and asked again', flush=True)
        finally:
            for name in list(lab.processes):
                lab.kill(name)
        print(', '.join(f'{name}: {most} MB at most' for name, most in lab.peaks.items()))


if __name__ == '__main__':
    asyncio.run(main())
