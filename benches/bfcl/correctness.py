"""The first instrument: reference programs are accepted, planted faults are refused before anything runs."""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from data import MULTI_TURN, SINGLE_TURN
from faults import KINDS, planted
from programs import call_text, multi_turn_programs, program, single_turn_programs
from schema import contradiction

PROMPT = Path(__file__).resolve().parent / 'programs.lmt.mjs'
REFERENCE = 'reference'


def why(calls):
    """Why the calls of a program contradict the documents of their functions; `None` if they do not."""
    if any(function is None for function, _, _ in calls):
        return 'a function that the task lacks'
    return next(filter(None, (contradiction(arguments, function.input) for function, arguments, _ in calls)), None)


def cases(data, categories):
    """The tasks of categories with the programs to run: (category, id, functions, [(kind, calls, code)])."""
    for category in categories:
        for task, answer in data.tasks(category):
            if category.startswith('multi_turn'):
                known, programs = multi_turn_programs(task, answer, data)
            else:
                known, programs = single_turn_programs(task, answer)
            rows = []
            for calls in programs:
                texts = [call_text(function.call_name if function else name, arguments) for function, arguments, name in calls]
                rows.append((REFERENCE, calls, program(texts)))
                if all(function for function, _, _ in calls):
                    rows.extend((kind, calls, code) for kind, code in planted(calls, list(known.values())))
            yield category, task['id'], known, rows


def run(binary, tasks, folder):
    """Runs the programs of all tasks with the binary. Returns the outcomes by task."""
    source, out = Path(folder, 'cases.jsonl'), Path(folder, 'out.jsonl')
    with source.open('w', encoding='utf-8') as file:
        for _, name, known, rows in tasks:
            functions = [function.definition() for function in known.values()]
            file.write(json.dumps({'id': name, 'functions': functions, 'programs': [code for _, _, code in rows]}) + '\n')
    command = [str(binary), 'run', '--quiet', str(PROMPT), '--cases', str(source), '--out', str(out)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    with out.open(encoding='utf-8') as file:
        return {line['id']: line for line in map(json.loads, file)}


def outcome(result):
    """What became of a program: `ran`, `refused` before anything ran, or `stopped` while it ran."""
    if result.get('success'):
        return 'ran'
    return 'refused' if 'errors' in result and not result['calls'] else 'stopped'


def is_same(calls, made):
    """Whether the functions were called with the arguments of the reference, in its order."""
    return [[function.call_name, arguments] for function, arguments, _ in calls] == made


class Counts:
    """What the programs of one category became."""

    def __init__(self):
        self.tasks = 0
        self.references = Counter()
        self.faults = {kind: Counter() for kind in KINDS}


def judge(tasks, outcomes):
    """Counts by category, why references are refused, and what is not as it should be."""
    counts, reasons, examples, surprises = {}, Counter(), {}, []
    for category, name, _, rows in tasks:
        count = counts.setdefault(category, Counts())
        count.tasks += 1
        results = outcomes[name].get('programs')
        if results is None or len(results) != len(rows):
            surprises.append((name, 'the run failed', outcomes[name].get('failed', 'results are missing')))
            count.references['failed'] += 1
            continue
        accepted = False
        for (kind, calls, code), result in zip(rows, results):
            became = outcome(result)
            if kind == REFERENCE:
                accepted = became == 'ran'
                count.references['all'] += 1
                reason = why(calls)
                count.references[became if reason is None else f'{became}, contradictory'] += 1
                if reason:
                    reasons[reason, became] += 1
                    examples.setdefault((reason, became), f'{name}: {code}')
                if accepted == bool(reason):
                    surprises.append((name, code, result.get('message', reason)))
                if accepted and not is_same(calls, result['calls']):
                    surprises.append((name, code, f"called: {json.dumps(result['calls'])}"))
            elif accepted:
                count.faults[kind][became] += 1
                if became != 'refused' and kind != 'a fraction for an integer':
                    surprises.append((name, f'{kind}: {code}', f"{became}: {result.get('message', '')}"))
    return counts, reasons, examples, surprises


def measure(binary, data, categories=None):
    """Runs the instrument and returns what `judge` found."""
    tasks = list(cases(data, categories or SINGLE_TURN + MULTI_TURN))
    with tempfile.TemporaryDirectory() as folder:
        return judge(tasks, run(binary, tasks, folder))
