"""Writes reference answers of the data as calls, and calls as the TypeScript of code mode."""

import ast
import json
import re

from schema import contradiction, functions, kind_of

OMITTED = object()


def chosen(choices, schema, is_required):
    """The first of the values that the data accepts which fits the document, or else the first.

    An empty text means that the argument may be left out.
    """
    if not isinstance(choices, list):
        return choices
    values = [plain(value, schema) for value in choices if value != '']
    if values:
        return next((value for value in values if contradiction(value, schema) is None), values[0])
    return '' if is_required and choices else OMITTED


def all_chosen(arguments, schema, choose=chosen):
    """The arguments or properties of the data, with a chosen value for each; those that may be left out are."""
    properties, required = schema.get('properties', {}), schema.get('required', [])
    picked = {name: choose(choices, properties.get(name, {}), name in required) for name, choices in arguments.items()}
    return {name: value for name, value in picked.items() if value is not OMITTED}


def plain(value, schema):
    """An accepted value, in which each property of an object is again a list of accepted values."""
    if isinstance(value, list):
        return [plain(item, schema.get('items', {})) if isinstance(item, dict) else item for item in value]
    return all_chosen(value, schema, chosen_inside) if isinstance(value, dict) else value


def chosen_inside(choices, schema, is_required):
    """As `chosen`, for a property of an object. The data writes some lists there without a list of choices around them."""
    is_list = kind_of(schema) == 'array' and isinstance(choices, list) and not any(isinstance(item, list) for item in choices)
    is_plain = is_list and ('' not in choices or all(isinstance(item, dict) for item in choices))
    return plain(choices, schema) if is_plain else chosen(choices, schema, is_required)


def reference_calls(answer, known):
    """The calls of a single-turn answer: function, arguments, name. A function that the task lacks is `None`."""
    calls = []
    for call in answer:
        (name, arguments), = call.items()
        function = known.get(name)
        calls.append((function, all_chosen(arguments, function.input if function else {}), name))
    return calls


def python_call(text, known):
    """A call of a multi-turn answer, which the data writes as Python: `cd(folder='document')`."""
    call = ast.parse(text, mode='eval').body
    function = known.get(call.func.id)
    names = list(function.input['properties']) if function else []
    arguments = dict(zip(names, map(ast.literal_eval, call.args)))
    arguments.update((keyword.arg, ast.literal_eval(keyword.value)) for keyword in call.keywords)
    return function, json.loads(json.dumps(arguments)), call.func.id


def literal(value):
    """A value as a model writes it: JSON with keys without quotes where TypeScript allows it."""
    if isinstance(value, dict):
        if not value:
            return '{}'
        key = lambda name: name if re.fullmatch(r'[A-Za-z_$][\w$]*', name, re.ASCII) else json.dumps(name)
        return '{ ' + ', '.join(f'{key(name)}: {literal(item)}' for name, item in value.items()) + ' }'
    if isinstance(value, (list, tuple)):
        return '[' + ', '.join(map(literal, value)) + ']'
    return json.dumps(value, ensure_ascii=False)


def call_text(name, arguments):
    """One awaited call."""
    return f'await {name}({literal(arguments) if arguments else ""})'


def program(texts):
    """A program that makes calls one after the other and returns what each of them gave."""
    if len(texts) == 1:
        return f'return {texts[0]};'
    lines = [f'const r{number} = {text};' for number, text in enumerate(texts, 1)]
    return '\n'.join([*lines, f"return [{', '.join(f'r{number}' for number in range(1, len(texts) + 1))}];"])


def single_turn_programs(task, answer):
    """The functions of a task, and the one program of its answer as a list of calls."""
    known = functions(task['function'])
    return known, [reference_calls(answer, known)]


def multi_turn_programs(task, answer, data):
    """The functions of a task's classes, and a program for each turn that calls any."""
    known = functions(data.functions_of(task['involved_classes']))
    return known, [[python_call(text, known) for text in turn] for turn in answer if turn]
