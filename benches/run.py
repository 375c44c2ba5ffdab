#!/usr/bin/env python3
"""Prints the times and sizes of docs/maintainers/speed-and-size.md: medians, measured on the release binary.

    cargo build --release --ignore-rust-version && python3 benches/run.py [--binary PATH] [--runs N]

Python 3.9 or newer on Linux or macOS, standard library only. Nothing here fails on a time: figures depend on the machine,
compare only those of one run.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

STEPS = """
import {{ z }} from 'zod';
export const config = {{ model: 'mock' }};
export const mock = [];
for (let i = 0; i < {steps}; i++) mock.push({{ type: 'tool-call', toolCallId: `c${{i}}`, toolName: 'count', args: {{ by: 1 }} }});
mock.push({{ type: 'text', text: 'done' }});
export default async ({{ defState, defEffect, defTool, $ }}) => {{
  const [count, setCount] = defState('count', 0);
  defEffect(() => {{}}, [count]);
  defTool('count', 'Counts.', z.object({{ by: z.number() }}), ({{ by }}) => {{
    setCount((before) => before + by);
    return {{ ok: true }};
  }});
  $`go`;
}};
"""

# 500 tasks, each waiting for up to four before it: 1 990 edges.
GRAPH = """
export const config = {{ model: 'mock' }};
const tasks = Array.from({{ length: 500 }}, (_, i) => ({{
  id: `t${{i}}`, title: `Task ${{i}}`, dependencies: [1, 2, 3, 4].filter((back) => back <= i).map((back) => `t${{i - back}}`),
}}));
export const mock = [];
for (let i = 0; i < {updates}; i++) {{
  const args = {{ taskId: `t${{i}}`, status: 'completed', output_result: `result ${{i}}` }};
  mock.push({{ type: 'tool-call', toolCallId: `c${{i}}`, toolName: 'updateTaskStatus', args }});
}}
mock.push({{ type: 'text', text: 'done' }});
export default async ({{ defTaskGraph, $ }}) => {{
  defTaskGraph(tasks);
  $`go`;
}};
"""


# A ten-line snippet with one call of a registered function; `check` is the sandbox's setting.
CODE = """
import {{ z }} from 'zod';
export const config = {{ model: 'mock', sandbox: {{ check: '{check}' }} }};
const code = `const order: {{ name: string; cents: number }}[] = [
  {{ name: 'tea', cents: 400 }},
  {{ name: 'cup', cents: 800 }},
];
let total = 0;
for (const item of order) {{
  total += item.cents;
}}
const names = order.map((item) => item.name.toUpperCase());
const {{ sum }} = await add({{ a: total, b: names.length }});
return {{ sum, names }};`;
export const mock = [];
for (let i = 0; i < {runs}; i++) mock.push({{ type: 'tool-call', toolCallId: `c${{i}}`, toolName: 'runToolCode', args: {{ code }} }});
mock.push({{ type: 'text', text: 'done' }});
const schema = z.object({{ a: z.number(), b: z.number() }});
const responseSchema = z.object({{ sum: z.number() }});
export default async ({{ defFunction, $ }}) => {{
  defFunction('add', 'Adds.', schema, async ({{ a, b }}) => ({{ sum: a + b }}), {{ responseSchema }});
  $`go`;
}};
"""


# A server of the Model Context Protocol with as many tools as it is told.
SERVER = """
import json, sys
def tool(n):
    input = {'type': 'object', 'properties': {f'field{n}': {'type': 'string'}, 'count': {'type': 'integer'}}, 'required': [f'field{n}']}
    output = {'type': 'object', 'properties': {f'result{n}': {'type': 'number'}}, 'required': [f'result{n}']}
    return {'name': f'tool_{n}', 'description': f'Does the thing with the number {n}', 'inputSchema': input, 'outputSchema': output}
for line in sys.stdin:
    asked = json.loads(line)
    if 'id' not in asked:
        continue
    if asked['method'] == 'initialize':
        result = {'protocolVersion': asked['params']['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'bench', 'version': '1'}}
    elif asked['method'] == 'tools/list':
        result = {'tools': [tool(n) for n in range(int(sys.argv[1]))]}
    else:
        data = {asked['params']['name'].replace('tool_', 'result'): 1}
        result = {'content': [{'type': 'text', 'text': json.dumps(data)}], 'structuredContent': data}
    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': result}), flush=True)
"""

# A snippet that calls two of the server's tools; `check` is the sandbox's setting.
MCP = """
export const config = {{ model: 'mock', sandbox: {{ check: '{check}' }} }};
const code = `const one = await s.tool_7({{ field7: 'x' }});
const two = await s.tool_1999({{ field1999: 'y', count: 2 }});
return one.result7 + two.result1999;`;
export const mock = [];
for (let i = 0; i < {runs}; i++) mock.push({{ type: 'tool-call', toolCallId: `c${{i}}`, toolName: 'runToolCode', args: {{ code }} }});
mock.push({{ type: 'text', text: 'done' }});
export default async ({{ defMcp, $ }}) => {{
  if ({tools}) defMcp('s', {{ command: {python}, args: ['-I', '-S', {server}, '{tools}'] }}, {{ as: '{shape}' }});
  $`go`;
}};
"""


def start_of_server(command, env):
    """Milliseconds in which a server starts, says what it has, and ends."""
    ask = lambda number, method, params: json.dumps({'jsonrpc': '2.0', 'id': number, 'method': method, 'params': params}) + '\n'
    start = time.perf_counter()
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        for number, method in enumerate(['initialize', 'tools/list']):
            server.stdin.write(ask(number, method, {'protocolVersion': '2025-06-18'}))
            server.stdin.flush()
            server.stdout.readline()
        server.stdin.close()
        server.wait()
    return (time.perf_counter() - start) * 1000


def spawn(command, env, errors):
    """Starts a command with as little of our own work as there can be; standard output goes nowhere."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, errors.fileno(), 2),
    ]
    return os.posix_spawn(command[0], command, env, file_actions=actions)


def check(command, status, errors):
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        errors.seek(0)
        sys.exit(f"{' '.join(command)} exited with {code}:\n{errors.read().decode()}")


def time_of(command, env):
    """Milliseconds from the start of the process to its end."""
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        pid = spawn(command, env, errors)
        _, status = os.waitpid(pid, 0)
        milliseconds = (time.perf_counter() - start) * 1000
        check(command, status, errors)
    return milliseconds


def size_of(command, env):
    """MiB of the process at its largest.

    What the kernel says of a process that has ended counts the one it was forked from, us; so on Linux the figure is read
    again and again while the process lives. Until it runs the command, it has our own command line.
    """
    ours = Path('/proc/self/cmdline').read_bytes() if sys.platform == 'linux' else b''
    with tempfile.TemporaryFile() as errors:
        pid, largest = spawn(command, env, errors), 0
        while True:
            ended, status, usage = os.wait4(pid, os.WNOHANG)
            if ended:
                break
            try:
                fields = Path(f'/proc/{pid}/status').read_text()
                is_command = Path(f'/proc/{pid}/cmdline').read_bytes() not in (ours, b'')
                lines = [line for line in fields.splitlines() if line.startswith('VmHWM:')]
                largest = max([largest] + [int(line.split()[1]) / 1024 for line in lines if is_command])
            except (FileNotFoundError, ProcessLookupError):
                pass
        check(command, status, errors)
    return usage.ru_maxrss / 1024 / 1024 if sys.platform == 'darwin' else largest


def measure(binary, file, runs, env):
    command = [str(binary), 'run', str(file)]
    time_of(command, env)  # warms the disk cache
    times = [time_of(command, env) for _ in range(runs)]
    sizes = [size_of(command, env) for _ in range(max(3, runs // 3))]
    # A reading can miss the peak but never exceeds it.
    return statistics.median(times), max(sizes)


def measure_mcp(binary, prompt, row, runs, env):
    """What servers cost: connecting to one, and code that calls two of the 2 000 tools of another."""
    server = prompt('server', SERVER)
    settings = {'python': json.dumps(sys.executable), 'server': json.dumps(str(server))}

    def time_taken(check, calls, tools, count):
        # Functions have the worker for code started as well.
        shape = 'functions' if calls else 'tools'
        text = MCP.format(check=check, runs=calls, tools=tools, shape=shape, **settings)
        file = prompt(f'mcp-{check}-{calls}-{tools}', text)
        command = [str(binary), 'run', str(file)]
        return statistics.median(time_of(command, env) for _ in range(count + 1))

    command = [sys.executable, '-I', '-S', str(server), '1']
    start_of_server(command, env)
    own = statistics.median(start_of_server(command, env) for _ in range(runs[0]))
    whole = time_taken('strict', 0, 1, runs[0]) - time_taken('strict', 0, 0, runs[0])
    row("connecting to an MCP server, over the server's own start", whole - own, goal='goal 10 ms')
    times = {(check, calls): time_taken(check, calls, 2000, runs[1]) for check in ('strict', 'off') for calls in (1, 51)}
    checked, unchecked = [(times[check, 51] - times[check, 1]) / 50 for check in ('strict', 'off')]
    row('later snippet, 2 of 2 000 MCP functions: the type check', checked - unchecked, goal='goal 15 ms')
    row('  syntax and run', unchecked)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    target = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target'))
    parser.add_argument('--binary', type=Path, default=target / 'release' / 'lmthing')
    parser.add_argument('--runs', type=int, default=30, help='runs for each short row; long rows take a sixth of them')
    options = parser.parse_args()
    binary = options.binary.resolve()
    if not binary.exists():
        sys.exit(f'{binary} is not there; build it: cargo build --release --ignore-rust-version')
    long_runs = max(3, options.runs // 6)
    env = {name: value for name, value in os.environ.items() if name in ('PATH', 'HOME', 'TMPDIR')}

    def row(name, milliseconds, mebibytes=None, goal=''):
        size = '' if mebibytes is None else f'{mebibytes:.1f} MiB'
        print(f'{name:<58} {milliseconds:>9.2f} ms {size:>11}   {goal}', flush=True)

    with tempfile.TemporaryDirectory() as folder:
        def prompt(name, text):
            path = Path(folder, f'{name}.lmt.mjs')
            path.write_text(text)
            return path

        for example, goal in [('mock-demo', '6 ms, 16 MiB'), ('mock-tools', '14 ms, 24 MiB')]:
            file = ROOT / 'examples' / f'{example}.lmt.mjs'
            row(f'run examples/{example}.lmt.mjs', *measure(binary, file, options.runs, env), f'goal {goal}')
        whole = {}
        for steps, goal in [(0, ''), (333, 'linear'), (999, '150 ms, 40 MiB')]:
            time_taken, size = measure(binary, prompt(f'steps{steps}', STEPS.format(steps=steps)), long_runs, env)
            whole[steps] = time_taken
            row(f'{steps} tool steps with a state and an effect', time_taken, size, goal and f'goal {goal}')
        for steps in (333, 999):
            row(f'  a step, of {steps}', (whole[steps] - whole[0]) / steps)
        graph = {}
        for updates in (0, 200):
            time_taken, size = measure(binary, prompt(f'graph{updates}', GRAPH.format(updates=updates)), long_runs, env)
            graph[updates] = time_taken
            row(f'graph of 500 tasks, {updates} updates', time_taken, size)
        row('  an update (tool call and a whole step around it)', (graph[200] - graph[0]) / 200, goal='goal 1 ms')
        code = {}
        for check, runs in [('strict', 0), ('strict', 1), ('strict', 101), ('off', 1), ('off', 101)]:
            name = f'code-{check}-{runs}'
            code[check, runs], _ = measure(binary, prompt(name, CODE.format(check=check, runs=runs)), long_runs, env)
        checked, unchecked = [(code[check, 101] - code[check, 1]) / 100 for check in ('strict', 'off')]
        row('first snippet: worker, check and run', code['strict', 1] - code['strict', 0], goal='goal 40 ms')
        row('later snippet: syntax and run, one call of a function', unchecked, goal='goal 1.5 ms')
        row('later snippet: the type check', checked - unchecked, goal='goal 6 ms')
        measure_mcp(binary, prompt, row, (options.runs, long_runs), env)
    print(f'{"size of the binary":<58} {binary.stat().st_size / 1e6:>9.1f} MB {"":>11}   goal 55 MB')


if __name__ == '__main__':
    main()
