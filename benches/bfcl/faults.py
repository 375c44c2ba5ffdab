"""Plants faults into correct programs, as models make them. A fault is in the last call that it can be planted in, so that
the calls before it are right and would run if the program were not refused as a whole."""

import copy

from programs import call_text, literal, program
from schema import kind_of

WRONG = {
    'string': 12345, 'number': 'a text', 'integer': 'a text', 'boolean': 'yes', 'array': 'first, second', 'object': 'a text',
}


def typed(function, arguments):
    """The arguments whose type the document gives, with their schemas."""
    properties = function.input['properties']
    return [(name, properties[name]) for name in arguments if kind_of(properties.get(name, {})) in WRONG]


def changed(arguments, path, value):
    """A copy of the arguments with another value at a path; the value `None` removes what is there."""
    result = copy.deepcopy(arguments)
    place = result
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


def misspelt_function(function, arguments, known):
    name = function.call_name[:-1]
    taken = {other.call_name for other in known}
    return call_text(name if name not in taken and name[-1:] not in ('', '.') else f'{function.call_name}X', arguments)


def missing_argument(function, arguments, known):
    required = [name for name in function.input.get('required', []) if name in arguments]
    return required and call_text(function.call_name, changed(arguments, [required[-1]], None))


def wrong_type(function, arguments, known):
    found = typed(function, arguments)
    if found:
        name, schema = found[-1]
        return call_text(function.call_name, changed(arguments, [name], WRONG[kind_of(schema)]))


def null_argument(function, arguments, known):
    found = [(name, schema) for name, schema in typed(function, arguments) if schema['type'] == kind_of(schema)]
    if found:
        text = literal(changed(arguments, [found[-1][0]], '\0null')).replace('"\\u0000null"', 'null')
        return f'await {function.call_name}({text})'


def unknown_argument(function, arguments, known):
    return call_text(function.call_name, {**arguments, 'verbose_mode': True})


def misspelt_argument(function, arguments, known):
    name = next((name for name in reversed(list(arguments)) if name in function.input['properties']), None)
    if name is not None:
        pairs = [(f'{key}s' if key == name else key, value) for key, value in arguments.items()]
        return call_text(function.call_name, dict(pairs)) if f'{name}s' not in function.input['properties'] else None


def outside_enum(function, arguments, known):
    for name, schema in function.input['properties'].items():
        if name in arguments and 'enum' in schema and isinstance(arguments[name], str):
            return call_text(function.call_name, changed(arguments, [name], f'{arguments[name]} or so'))


def wrong_item(function, arguments, known):
    for name, schema in typed(function, arguments):
        kind = kind_of(schema.get('items', {}))
        if kind in WRONG and isinstance(arguments[name], list) and arguments[name]:
            return call_text(function.call_name, changed(arguments, [name, -1], WRONG[kind]))


def missing_property(function, arguments, known):
    for name, schema in typed(function, arguments):
        for inner in schema.get('required', []):
            if isinstance(arguments[name], dict) and inner in arguments[name]:
                return call_text(function.call_name, changed(arguments, [name, inner], None))


def by_position(function, arguments, known):
    if arguments:
        return f"await {function.call_name}({', '.join(map(literal, arguments.values()))})"


def unknown_result(function, arguments, known):
    if function.output and function.output.get('properties'):
        return f'({call_text(function.call_name, arguments)}).no_such_property'


def missing_bracket(function, arguments, known):
    return call_text(function.call_name, arguments)[:-1]


def fraction(function, arguments, known):
    for name, schema in typed(function, arguments):
        if kind_of(schema) == 'integer' and isinstance(arguments[name], int) and 'enum' not in schema:
            return call_text(function.call_name, changed(arguments, [name], arguments[name] + 0.5))


KINDS = {
    'a misspelt function': misspelt_function,
    'a required argument left out': missing_argument,
    'an argument of another type': wrong_type,
    '`null` for an argument': null_argument,
    'an argument that the function does not have': unknown_argument,
    'a misspelt argument': misspelt_argument,
    'a text outside the enumeration': outside_enum,
    'an item of a list of another type': wrong_item,
    'a required property of a nested object left out': missing_property,
    'arguments by position': by_position,
    'a property that the result does not have': unknown_result,
    'a bracket left out': missing_bracket,
    'a fraction for an integer': fraction,
}


def planted(calls, known):
    """Pairs of kind and program: each kind of fault that can be planted into the calls of a program."""
    texts = [call_text(function.call_name, arguments) for function, arguments, _ in calls]
    result = []
    for kind, plant in KINDS.items():
        for place in reversed(range(len(calls))):
            function, arguments, _ = calls[place]
            text = plant(function, arguments, known)
            if text:
                result.append((kind, program([*texts[:place], text, *texts[place + 1:]])))
                break
    return result
