"""The second instrument: tokens of the reference conversations, held in four ways over few and over many functions."""

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from conversations import conversations, groups, single_turn
from server import Player, Server

PROMPT = Path(__file__).resolve().parent / 'conversation.lmt.mjs'
# More bytes than any declarations have.
EVERYTHING = 10**9

# Name, the answers of the player, whether functions are for code, whether declarations are on demand. Functions for code
# declare what they return, since a program uses it; tools do not, as most tools in use.
WAYS = [
    ('one call a step', 'single', False, False),
    ('parallel calls', 'parallel', False, False),
    ('code mode', 'code', True, False),
    ('code mode, on demand', 'code', True, True),
]
OWN, ALL = 'of the task', 'all'
# The price of a token of cached input and of output in that of a token of new input.
CACHED, OUTPUT = 0.1, 5


def counter(name):
    """Counts the tokens of a text. `approximate` needs no package: four characters are a token."""
    if name == 'approximate':
        return lambda text: (len(text) + 3) // 4
    import bpe_openai
    encoding = bpe_openai.get_encoding(name)
    return functools.lru_cache(maxsize=100_000)(lambda text: len(encoding.encode_ordinary(text)))


def grouped(conversation):
    """The calls of each turn in groups that can be made at once."""
    said, result = '', []
    for user, calls in conversation.turns:
        said += user + '\n'
        result.append(groups(calls, said))
        said += ''.join(json.dumps(call.result, ensure_ascii=False) for call in calls)
    return result


def case(name, conversation, functions, as_code, prompt_bytes):
    """A line for the prompt file."""
    late = {name for names in conversation.held_back.values() for name in names}

    def definition(key):
        result = functions[key].definition()
        return result if as_code else {name: value for name, value in result.items() if name != 'output'}

    return {
        'id': name,
        'asCode': as_code,
        # How many bytes of declarations the prompt shows before they are on demand.
        'promptBytes': prompt_bytes,
        'functions': [definition(key) for key in functions if key not in late],
        'added': {turn: [definition(key) for key in names] for turn, names in conversation.held_back.items()},
        'turns': [user for user, _ in conversation.turns],
        'results': [(call.function.name, call.result) for _, calls in conversation.turns for call in calls],
    }


def converse(binary, lines, players, folder):
    """Holds the conversations with the binary; a conversation that did not go as the reference ends the command."""
    source, out = Path(folder, 'cases.jsonl'), Path(folder, 'out.jsonl')
    with source.open('w', encoding='utf-8') as file:
        file.writelines(json.dumps(line) + '\n' for line in lines)
    # Nothing of the environment that could send requests elsewhere.
    environment = {name: value for name, value in os.environ.items() if name in ('PATH', 'HOME', 'TMPDIR')}
    with Server(players) as server:
        command = [str(binary), 'run', '--quiet', str(PROMPT), '--cases', str(source), '--out', str(out), '--url', server.url]
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    with out.open(encoding='utf-8') as file:
        results = [json.loads(line) for line in file]
    wrong = [result for result in results if result.get('left') != 0]
    if wrong or len(results) != len(lines):
        sys.exit(f'{len(wrong)} of {len(lines)} conversations did not go as the reference, such as {wrong[:1]}')


class Sum:
    """Totals over conversations that were held in one way."""

    def __init__(self, players):
        total = lambda name: sum(getattr(player, name) for player in players)
        self.steps, self.searches = total('steps'), total('searches')
        self.input, self.new, self.output = total('input'), total('new'), total('output')
        self.cold = self.new + CACHED * (self.input - self.new) + OUTPUT * self.output
        # What comes before the first message is in the cache of the provider from an earlier conversation.
        self.warm = self.cold - (1 - CACHED) * total('definitions')


def measure_category(options, found, everything, count, sizes, ways):
    """Sums by set of functions and way of one category."""
    sums, by_turn = {}, {each.name: grouped(each) for each in found}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            lines, players = [], {}
            for way, answers, as_code, is_on_demand in ways:
                prompt_bytes = options.prompt_bytes if is_on_demand else EVERYTHING
                for each in found:
                    name = f'{each.name}/{way}'
                    players[name] = Player(each, by_turn[each.name], answers, count)
                    functions = everything if size == ALL else each.known
                    lines.append(case(name, each, functions, as_code, prompt_bytes))
            converse(options.bin, lines, players, folder)
            for way, *_ in ways:
                sums[size, way] = Sum([players[f'{each.name}/{way}'] for each in found])
    return sums


def facts(found):
    """What a category consists of."""
    turns = [calls for each in found for _, calls in each.turns]
    return {
        'conversations': len(found),
        'turns': len(turns),
        'calls': sum(map(len, turns)),
        'several': sum(len(calls) > 1 for calls in turns),
        'waiting': sum(len(turn) > 1 for each in found for turn in grouped(each)),
        'functions': sum(len(each.known) for each in found) / len(found),
    }


def measure_single(options, data, categories, tokenizer):
    """Sums and facts of single-turn categories, which have few functions and mostly one call."""
    result, count = {}, counter(tokenizer)
    for category in categories:
        found = single_turn(data, category)
        result[category] = measure_category(options, found, {}, count, [OWN], WAYS[:3]), facts(found)
    return result


def measure(options, data, categories, tokenizer):
    """Sums and facts of multi-turn categories, and the functions whose results are not declared."""
    count = counter(tokenizer)
    found, everything, untyped = conversations(data, categories)
    result = {}
    for category in categories:
        sums = measure_category(options, found[category], everything, count, [OWN, ALL], WAYS)
        result[category] = sums, facts(found[category])
        print(f'{category} is counted', file=sys.stderr)
    return result, untyped
