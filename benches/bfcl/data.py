"""Fetches the published data into a cache folder outside the repository, and reads it."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

# The Berkeley Function Calling Leaderboard, version 4, by the Gorilla project; Apache-2.0.
DATA = 'bfcl-eval==2026.3.23'
# A byte-pair tokenizer whose package has the vocabulary, and what one of the API classes of the data imports.
LIBRARIES = ['bpe-openai==0.1.4', 'mpmath==1.3.0']

SINGLE_TURN = [
    'simple_python', 'simple_java', 'simple_javascript', 'multiple', 'parallel', 'parallel_multiple',
    'live_simple', 'live_multiple', 'live_parallel', 'live_parallel_multiple',
]
MULTI_TURN = ['multi_turn_base', 'multi_turn_miss_func', 'multi_turn_miss_param', 'multi_turn_long_context']
# Classes of other categories, which need a network or libraries of their own.
OTHER_CLASSES = ('WebSearchAPI', 'MemoryAPI')

SAMPLE = Path(__file__).resolve().parent / 'sample'


def default_cache():
    """Where packages are kept: the user's cache folder."""
    base = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return Path(base) / 'lmthing-benches'


def pip(*arguments):
    """Runs pip; its failure ends the command with what to do."""
    command = [sys.executable, '-m', 'pip', '--disable-pip-version-check', '--quiet', *map(str, arguments)]
    if subprocess.run(command, env={**os.environ, 'PIP_ROOT_USER_ACTION': 'ignore'}).returncode != 0:
        sys.exit(
            f"\nThis failed: {' '.join(command)}\n"
            'The data is a Python package: it needs Python 3.10 or newer, pip, and a network or a configured index.\n'
            'Where there is none, fetch the packages elsewhere, put the files into a folder, and set PIP_FIND_LINKS to it\n'
            'and PIP_NO_INDEX to 1. `--sample` runs everything on the small data of this repository instead.'
        )


def fetch(cache):
    """The folder that has the package `bfcl_eval`, fetched when it is not there yet."""
    folder = cache / DATA.replace('==', '-')
    if not (folder / 'bfcl_eval').is_dir():
        downloads = cache / 'downloads'
        # Without its dependencies: they are for asking models.
        pip('download', '--no-deps', '-d', downloads, DATA)
        wheel = next(downloads.glob('bfcl_eval-*.whl'))
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    libraries = cache / 'libraries'
    if not (libraries / 'bpe_openai').is_dir() or not (libraries / 'mpmath').is_dir():
        pip('install', '--no-deps', '--upgrade', '--target', libraries, *LIBRARIES)
    if str(libraries) not in sys.path:
        sys.path.insert(0, str(libraries))
    return folder


def read_lines(path):
    """The values of a file of JSON lines; a file that is not there has none."""
    if not path.is_file():
        return []
    with path.open(encoding='utf-8') as file:
        return [json.loads(line) for line in file if line.strip()]


class Data:
    """The tasks, reference answers and API classes below the folder of a package."""

    def __init__(self, folder):
        self.folder = folder
        self.data = folder / 'bfcl_eval' / 'data'
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
        from bfcl_eval.constants import executable_backend_config as backend
        self.modules = backend.CLASS_FILE_PATH_MAPPING
        self.stateless = backend.STATELESS_CLASSES
        self.documents = {
            name: read_lines(self.data / 'multi_turn_func_doc' / file)
            for name, file in backend.MULTI_TURN_FUNC_DOC_FILE_MAPPING.items()
            if not name.startswith(OTHER_CLASSES)
        }

    def tasks(self, category):
        """Pairs of task and reference answer. Tasks without an answer are left out."""
        answers = {
            line['id']: line['ground_truth'] for line in read_lines(self.data / 'possible_answer' / f'BFCL_v4_{category}.json')
        }
        tasks = read_lines(self.data / f'BFCL_v4_{category}.json')
        return [(task, answers[task['id']]) for task in tasks if task['id'] in answers]

    def functions_of(self, classes):
        """The documents of all functions of some classes, in the order of the data."""
        return [document for name in classes for document in self.documents[name]]
