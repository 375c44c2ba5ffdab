"""Turns the function documents of the data into what lmthing takes: names of TypeScript and JSON Schema."""

import re

# The data names types as Python, Java and JavaScript do.
TYPES = {
    'dict': 'object', 'HashMap': 'object', 'Hashtable': 'object', 'object': 'object',
    'float': 'number', 'double': 'number', 'number': 'number',
    'integer': 'integer', 'long': 'integer', 'short': 'integer', 'byte': 'integer', 'Bigint': 'integer', 'int': 'integer',
    'string': 'string', 'String': 'string', 'char': 'string', 'str': 'string',
    'boolean': 'boolean', 'Boolean': 'boolean', 'bool': 'boolean',
    'array': 'array', 'Array': 'array', 'ArrayList': 'array', 'list': 'array', 'tuple': 'array', 'Queue': 'array',
    'Stack': 'array',
}
KEPT = ['description', 'default', 'enum', 'format', 'maximum', 'minimum']
# What a program cannot be given as the name of a function.
RESERVED = {
    'delete', 'new', 'import', 'export', 'function', 'class', 'return', 'default', 'with', 'eval', 'console', 'Date', 'Map',
}


def to_json_schema(schema):
    """JSON Schema of a type of the data. `any` and unknown types are the schema that allows everything."""
    result = {key: schema[key] for key in KEPT if key in schema}
    kind = TYPES.get(schema.get('type', ''))
    if kind is None:
        return {key: value for key, value in result.items() if key in ('description', 'default')}
    result['type'] = kind
    if 'default' in schema:
        # What is taken when nothing is given can be given as well.
        if schema['default'] is None:
            result['type'] = [kind, 'null']
        if 'enum' in schema and schema['default'] not in schema['enum']:
            result['enum'] = [*schema['enum'], schema['default']]
    if kind == 'object' and 'properties' in schema:
        properties = schema['properties'] or {}
        result['properties'] = {name: to_json_schema(value) for name, value in properties.items()}
        result['required'] = [name for name in schema.get('required', []) if name in properties]
    if kind == 'array' and isinstance(schema.get('items'), dict):
        result['items'] = to_json_schema(schema['items'])
    return result


def identifier(name):
    """A name that TypeScript takes for a function."""
    name = re.sub(r'[^A-Za-z0-9_$]', '_', name)
    return f'{name}_' if name in RESERVED else f'_{name}' if name[0].isdigit() else name


class Function:
    """A function of the data, as lmthing defines it."""

    def __init__(self, document, namespaces=True):
        self.original = document['name']
        self.document = document
        self.description = document.get('description', '')
        head, dot, last = self.original.rpartition('.')
        self.namespace = identifier(head) if dot and namespaces else None
        self.name = identifier(last if self.namespace else self.original)
        # A function has the arguments of its document and no others.
        self.input = {**to_json_schema(document['parameters']), 'additionalProperties': False}
        self.input.setdefault('properties', {})
        self.output = to_json_schema(document['response']) if 'response' in document else None

    @property
    def call_name(self):
        """As a program writes it."""
        return f'{self.namespace}.{self.name}' if self.namespace else self.name

    def definition(self):
        """What the prompt files define."""
        kept = {'name': self.name, 'description': self.description, 'input': self.input}
        if self.namespace:
            kept['namespace'] = self.namespace
        if self.output is not None:
            kept['output'] = self.output
        return kept


def functions(documents):
    """The functions of a task by the names that the data gives them.

    `a.b` is a function of the namespace `a`, unless a function of the task has the name of the namespace.
    """
    top = {identifier(document['name']) for document in documents if '.' not in document['name']}
    result = {}
    for document in documents:
        function = Function(document)
        if function.namespace in top:
            function = Function(document, namespaces=False)
        result[function.original] = function
    return result


def kind_of(schema):
    """The type of a schema of `to_json_schema` but `null`; `None` if it allows everything."""
    kind = schema.get('type')
    return kind[0] if isinstance(kind, list) else kind


def contradiction(value, schema, is_closed=True):
    """How a value contradicts a schema of `to_json_schema`; `None` if it does not.

    Arguments are closed: they have the properties of the document and no others. Of results the documents name the most
    important ones.
    """
    kind = kind_of(schema)
    if kind is None or (value is None and kind is not schema['type']):
        return None
    if 'enum' in schema and not any(has_type(item, kind) for item in schema['enum']):
        return 'the document contradicts itself: no value of the enumeration has the type'
    if not has_type(value, kind):
        given = '`null`' if value is None else 'a text' if isinstance(value, str) else 'a value'
        return f'{given} where the document has another type'
    if 'enum' in schema and value not in schema['enum']:
        return 'a value that is not in the enumeration'
    if kind == 'integer' and value != int(value):
        return 'a fraction where the document has an integer'
    if 'maximum' in schema and value > schema['maximum']:
        return 'a number above the maximum'
    inner = []
    if kind == 'array':
        inner = [(item, schema.get('items', {})) for item in value]
    if kind == 'object' and 'properties' in schema:
        properties = schema['properties']
        if any(name not in value for name in schema.get('required', [])):
            return 'a required argument or property is missing'
        if is_closed and any(name not in properties for name in value):
            return 'an argument or property that the document does not have'
        inner = [(item, properties[name]) for name, item in value.items() if name in properties]
    return next(filter(None, (contradiction(item, schema, is_closed) for item, schema in inner)), None)


def has_type(value, kind):
    """Whether a value is of a type of JSON Schema; a fraction counts as an integer here."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {
        'object': isinstance(value, dict), 'array': isinstance(value, list), 'string': isinstance(value, str),
        'boolean': isinstance(value, bool), 'number': is_number, 'integer': is_number,
    }[kind]
