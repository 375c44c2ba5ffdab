"""A server of the chat completions API on this machine, whose answers are those of the reference. It counts tokens."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from programs import call_text, program

LAST = 'Done.'


class Player:
    """Answers the requests of one conversation held in one way, and counts what was sent and answered."""

    def __init__(self, conversation, groups, way, count):
        self.turns = [calls for _, calls in conversation.turns]
        self.groups = groups
        self.way = way
        self.count = count
        self.before = []
        self.steps = self.input = self.new = self.output = self.searches = self.definitions = 0

    def answer(self, body):
        """The tool calls that answer a request, or `None` for the end of a turn."""
        messages = body['messages']
        users = [place for place, message in enumerate(messages) if message['role'] == 'user']
        answers = [message for message in messages[users[-1]:] if message['role'] == 'assistant']
        calls = getattr(self, self.way)(len(users) - 1, answers, messages)
        self.measure(body, calls)
        return calls

    def single(self, turn, answers, messages):
        return [(call.function.name, call.arguments) for call in self.turns[turn][len(answers):][:1]] or None

    def parallel(self, turn, answers, messages):
        groups = self.groups[turn]
        if len(answers) < len(groups):
            return [(call.function.name, call.arguments) for call in groups[len(answers)]]

    def code(self, turn, answers, messages):
        called = [call['function']['name'] for answer in answers for call in answer.get('tool_calls') or []]
        calls = self.turns[turn]
        if not calls or 'runToolCode' in called:
            return None
        names = list(dict.fromkeys(call.function.name for call in calls))
        shown = '\n'.join(text_of(message) for message in messages if message['role'] in ('system', 'tool'))
        missing = [name for name in names if f'function {name}(' not in shown]
        if missing:
            self.searches += 1
            # One search for all of them; what it does not find is looked up by its name alone.
            queries = missing if answers else [' '.join(missing)]
            return [('searchFunctions', {'query': query}) for query in queries]
        return [('runToolCode', {'code': program([call_text(call.function.name, call.arguments) for call in calls])})]

    def measure(self, body, calls):
        """Adds a step: the tools and messages of a request, and those after what it has in common with the one before."""
        parts = [json.dumps(tool['function'], ensure_ascii=False) for tool in body.get('tools') or []]
        parts += [text_of(message) for message in body['messages']]
        same = 0
        while same < min(len(parts), len(self.before)) and parts[same] == self.before[same]:
            same += 1
        sizes = [self.count(part) for part in parts]
        # A part that has changed towards its end, such as a system prompt with one more function, is known up to there.
        known = os.path.commonprefix([parts[same], self.before[same]]) if same < min(len(parts), len(self.before)) else ''
        self.before = parts
        if self.steps == 0:
            # The tools and the system prompt; what the user says is the last part.
            self.definitions = sum(sizes[:-1])
        self.steps += 1
        self.input += sum(sizes)
        self.new += sum(sizes[same:]) - self.count(known)
        answered = [name + json.dumps(arguments, ensure_ascii=False) for name, arguments in calls or []]
        self.output += sum(map(self.count, answered or [LAST]))


def text_of(message):
    """What a message says: its role, its text, names and arguments of its calls; not the JSON around them."""
    content = message.get('content') or ''
    if isinstance(content, list):
        content = ''.join(part.get('text', '') for part in content)
    calls = [call['function']['name'] + call['function']['arguments'] for call in message.get('tool_calls') or []]
    return '\n'.join([message['role'], content, *calls])


class Handler(BaseHTTPRequestHandler):
    """Streams the answer of the player that the request names as its model."""

    protocol_version = 'HTTP/1.1'
    players = {}

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        calls = self.players[body['model']].answer(body)
        if calls is None:
            delta, reason = {'content': LAST}, 'stop'
        else:
            delta, reason = {'tool_calls': [
                {'index': index, 'id': f"call_{len(body['messages'])}_{index}", 'type': 'function',
                 'function': {'name': name, 'arguments': json.dumps(arguments, ensure_ascii=False)}}
                for index, (name, arguments) in enumerate(calls)
            ]}, 'tool_calls'
        chunks = [
            {'choices': [{'index': 0, 'delta': {'role': 'assistant', **delta}}]},
            {'choices': [{'index': 0, 'delta': {}, 'finish_reason': reason}]},
        ]
        data = ''.join(f'data: {json.dumps(chunk)}\n\n' for chunk in chunks) + 'data: [DONE]\n\n'
        payload = data.encode()
        self.send_response(200)
        self.send_header('Content-Type', 'text/event-stream')
        self.send_header('Content-Length', str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_):
        """Requests are not logged."""


class Server:
    """The server while a `with` block runs; `url` is its address."""

    def __init__(self, players):
        handler = type('Playing', (Handler,), {'players': players})
        self.server = ThreadingHTTPServer(('127.0.0.1', 0), handler)
        self.server.daemon_threads = True
        self.url = f'http://127.0.0.1:{self.server.server_port}/v1'

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
