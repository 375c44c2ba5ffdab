#!/usr/bin/env python3
"""Prints the times and sizes of docs/architecture.md, "Speed and size": medians, measured on the release binary.

    cargo build --release --ignore-rust-version && python3 benches/run.py [--binary PATH] [--runs N]

Python 3.9 or newer on Linux or macOS, standard library only. Nothing here fails on a time: figures depend on the machine,
compare only those of one run.
"""

import argparse
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


def run(command, env):
    """Runs a command once: (milliseconds, MiB at its largest)."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    milliseconds = (time.perf_counter() - start) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} exited with {process.returncode}:\n{errors.decode()}")
    unit = 1024 * 1024 if sys.platform == 'darwin' else 1024
    return milliseconds, usage.ru_maxrss / unit


def measure(binary, file, runs, env):
    command = [str(binary), 'run', str(file)]
    run(command, env)  # warms the disk cache
    samples = [run(command, env) for _ in range(runs)]
    return statistics.median(time for time, _ in samples), statistics.median(size for _, size in samples)


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
    print(f'{"size of the binary":<58} {binary.stat().st_size / 1e6:>9.1f} MB {"":>11}   goal 45 MB')


if __name__ == '__main__':
    main()
