"""The multi-turn conversations of the data, with what their reference calls really give: the API classes of the data are
Python, and are run here."""

import copy
import importlib
import json

from data import MULTI_TURN
from programs import python_call, reference_calls
from schema import Function, contradiction, functions

# A turn without words of the user: functions that were held back are there from now on.
MORE_FUNCTIONS = 'There are more functions now. Please go on with what I asked for.'


class Call:
    """A reference call with its result."""

    def __init__(self, function, arguments, result):
        self.function = function
        self.arguments = arguments
        self.result = result


class Conversation:
    """A task: its functions, and for each turn what the user says and the calls that the reference makes."""

    def __init__(self, name, known, held_back, turns):
        self.name = name
        self.known = known
        # Names of functions that are there from a turn on, by the number of the turn.
        self.held_back = held_back
        self.turns = turns


def instances(task, data, is_long):
    """The API classes of a task in the state in which it begins, as (class, methods)."""
    result = []
    for name in task['involved_classes']:
        api = getattr(importlib.import_module(data.modules[name]), name)()
        if name not in data.stateless:
            api._load_scenario(copy.deepcopy(task['initial_config'].get(name, {})), long_context=is_long)
        result.append(api)
    return result


def execute(apis, function, arguments):
    """What a call gives: JSON data, or an object with the error."""
    api = next(api for api in apis if hasattr(api, function.original))
    try:
        result = getattr(api, function.original)(**copy.deepcopy(arguments))
    except Exception as error:  # The reference has calls that fail; a model would see the message.
        return {'error': str(error)}
    return json.loads(json.dumps(result, default=str))


def conversation(task, answer, data, known, is_long):
    """Runs the reference calls of a task in the order of the data."""
    apis = instances(task, data, is_long)
    turns = []
    for messages, calls in zip(task['question'], answer):
        user = '\n'.join(message['content'] for message in messages) or MORE_FUNCTIONS
        made = []
        for text in calls:
            function, arguments, _ = python_call(text, known)
            made.append(Call(function, arguments, execute(apis, function, arguments)))
        turns.append((user, made))
    # One reference calls a function before it is there; that function is there from the beginning.
    used = lambda turn: {call.function.name for _, made in turns[:turn] for call in made}
    held_back = {int(turn): sorted(set(names) - used(int(turn))) for turn, names in task.get('missed_function', {}).items()}
    return Conversation(task['id'], known, held_back, turns)


def conversations(data, categories=MULTI_TURN):
    """All conversations by category whose calls fit their documents, and the functions whose real results contradict their documents.

    The documents of these functions are used without their results: lmthing refuses a result that is not what its function
    declares.
    """
    everything = functions(data.functions_of(data.documents))
    result, untyped = {}, set()
    for category in categories:
        result[category] = []
        for task, answer in data.tasks(category):
            names = [document['name'] for document in data.functions_of(task['involved_classes'])]
            known = {name: everything[name] for name in names}
            each = conversation(task, answer, data, known, is_long=category.endswith('long_context'))
            if is_in_order(call for _, calls in each.turns for call in calls):
                result[category].append(each)
    for each in (each for group in result.values() for each in group):
        for call in (call for _, calls in each.turns for call in calls):
            if call.function.output and contradiction(call.result, call.function.output, is_closed=False):
                untyped.add(call.function.original)
    for name in untyped:
        everything[name].output = None
    return result, everything, sorted(untyped)


def is_in_order(calls):
    """Whether calls fit the documents of their functions; lmthing refuses those that do not."""
    return all(call.function and not contradiction(call.arguments, call.function.input) for call in calls)


def single_turn(data, category):
    """The tasks of a single-turn category as conversations. Their functions do nothing, so that each gives the same little.

    Tasks whose answer contradicts their documents are left out, since their calls would be refused.
    """
    result = []
    for task, answer in data.tasks(category):
        known = {document['name']: Function(document, namespaces=False) for document in task['function']}
        calls = reference_calls(answer, known)
        user = '\n'.join(message['content'] for message in task['question'][0])
        made = [Call(function, arguments, {'status': 'ok'}) for function, arguments, _ in calls]
        if is_in_order(made):
            result.append(Conversation(task['id'], known, {}, [(user, made)]))
    return result


def leaves(value):
    """The texts and numbers of a value that say something: not `True`, not an empty text, not a single digit."""
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    is_telling = isinstance(value, (str, int, float)) and not isinstance(value, bool) and len(str(value)) > 1
    return [str(value)] if is_telling else []


def groups(calls, said):
    """The calls of a turn in groups that can be made at once.

    A call waits for those before it when one of its arguments is in their results and nowhere in what was said before: the
    words of the user and earlier results.
    """
    result = []
    results = ''
    for call in calls:
        is_waiting = any(leaf in results and leaf not in said for leaf in leaves(call.arguments))
        if not result or is_waiting:
            said, results = said + results, ''
            result.append([])
        result[-1].append(call)
        results += json.dumps(call.result, ensure_ascii=False)
    return result
