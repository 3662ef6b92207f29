import ast, asyncio, base64, builtins, collections, datetime, decimal, functools, hashlib, hmac, inspect, io, itertools, json
import math, random, re, statistics, string, sys, time, traceback, types, urllib.parse, uuid

FILE = 'function.py'


class Lines(io.TextIOBase):
    """What is printed, a line at a time."""

    def __init__(self, level, log):
        self.level, self.log, self.rest = level, log, ''

    def write(self, text):
        *lines, self.rest = (self.rest + text).split('\n')
        for line in lines:
            self.log(self.level, line)
        return len(text)

    def end(self):
        if self.rest:
            self.log(self.level, self.rest)
        self.rest = ''


class Response:
    def __init__(self, received, body):
        self.status, self.url = received['status'], received['url']
        self.ok = 200 <= self.status < 300
        self.headers = {name.lower(): value for name, value in received['headers']}
        self._body = body

    async def bytes(self):
        return self._body

    async def text(self):
        return self._body.decode('utf-8', 'replace')

    async def json(self):
        return json.loads(self._body)


def fetch_through(send):
    async def fetch(url, method='GET', headers=None, body=None):
        """Calls the outside as far as the platform allows it."""
        if isinstance(body, str):
            body = body.encode()
        elif body is not None and not isinstance(body, (bytes, bytearray)):
            raise TypeError('fetch takes a body of text or bytes: write objects with json.dumps.')
        headers = [[str(name), str(value)] for name, value in (headers or {}).items()]
        request = {'url': str(url), 'method': str(method).upper(), 'headers': headers, 'redirect': 'follow'}
        answer = await send(json.dumps(request), (body or b'').decode('latin-1'))
        head, _, rest = answer.partition('\n')
        received = json.loads(head)
        if 'error' in received:
            raise OSError(received['error'])
        return Response(received, rest.encode('latin-1'))

    return fetch


def returns(node):
    """Whether a statement returns from the body itself."""
    if isinstance(node, ast.Return):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return False
    return any(returns(child) for child in ast.iter_child_nodes(node))


def compiled(source, names):
    """The text as code: a body that returns is the body of a function, anything else is a module."""
    tree = ast.parse(source, FILE)
    if any(returns(node) for node in tree.body):
        known = [name for name in names if name.isidentifier()]
        module = ast.parse('async def __body(): pass')
        module.body[0].args.args = [ast.arg(name, lineno=1, col_offset=0) for name in known]
        module.body[0].body = tree.body
        ast.fix_missing_locations(module)
        return compile(module, FILE, 'exec'), known, None
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    return compile(tree, FILE, 'exec', flags), None, last and compile(last, FILE, 'eval', flags)


async def value_of(code, scope):
    value = eval(code, scope)
    return await value if inspect.isawaitable(value) else value


def exported(scope, before):
    own = {name: value for name, value in scope.items()
           if name not in before and inspect.isfunction(value) and value.__code__.co_filename == FILE}
    return own.get('main') or (next(iter(own.values())) if len(own) == 1 else None)


def arguments_for(function, parameters):
    """Those it names; all of them in one where it names only another."""
    known = inspect.signature(function).parameters
    kinds = [one.kind for one in known.values()]
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return [], parameters
    if len(known) == 1 and not set(known) & set(parameters):
        return [parameters], {}
    return [], {name: value for name, value in parameters.items() if name in known}


async def result_of(order, fetch):
    names, parameters = order['names'], json.loads(order['parameters'])
    given = {**{name: None for name in names}, **parameters}
    scope = {'__name__': '__function__', '__builtins__': builtins, 'fetch': fetch, 'parameters': parameters}
    code, known, last = compiled(order['code'], names)
    if known is not None:
        exec(code, scope)
        return await scope['__body'](*[given[name] for name in known])
    scope.update(given)
    before = set(scope)
    await value_of(code, scope)
    if last is not None:
        return await value_of(last, scope)
    function = exported(scope, before)
    if function is None:
        return None
    positional, named = arguments_for(function, given)
    value = function(*positional, **named)
    return await value if inspect.isawaitable(value) else value


def sentence(error):
    try:
        text = str(error)
    except BaseException:
        text = ''
    return f'{type(error).__name__}: {text}'[:10000] if text else type(error).__name__


def problem(error):
    if isinstance(error, SyntaxError) and error.filename == FILE:
        return {'message': error.msg, 'line': error.lineno, 'column': error.offset}
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    place = {'line': frames[-1].lineno, 'column': (frames[-1].colno or 0) + 1} if frames else {}
    return {'message': sentence(error), **place}


async def outcome_of(order, fetch):
    try:
        value = await result_of(order, fetch)
    except SyntaxError as error:
        return 'invalidCode' if error.filename == FILE else 'threw', problem(error)
    except BaseException as error:
        return 'threw', problem(error)
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    except BaseException as error:
        return 'invalidOutput', {'message': sentence(error)}
    if len(text) > order['maxOutput']:
        return 'outputTooLarge', {'message': f'Its result has {len(text)} characters.'}
    return 'value', text


async def __platform_run(order, log, send):
    order = json.loads(order)
    if order['checks']:
        try:
            compiled(order['code'], order['names'])
            return 'value []'
        except SyntaxError as error:
            return 'value ' + json.dumps([problem(error)])
    random.seed()
    out, err = Lines('info', log), Lines('error', log)
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        kind, said = await outcome_of(order, fetch_through(send))
    finally:
        out.end()
        err.end()
        sys.stdout, sys.stderr = before
        for task in asyncio.all_tasks():
            if task is not asyncio.current_task():
                task.cancel()
    return f'{kind} {said if kind == "value" else json.dumps(said)}'


# Each call begins with the memory of now: so it finds its way through this file as one that has often gone it.
for __code in ['return x', 'def main(x): return x'] * 20:
    __order = {'checks': False, 'code': __code, 'names': ['x'], 'parameters': '{"x": 1}', 'maxOutput': 9}
    try:
        __platform_run(json.dumps(__order), lambda level, line: None, None).send(None)
    except StopIteration:
        pass
del __code, __order
