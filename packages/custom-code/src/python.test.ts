import { describe, expect, test } from 'vitest'
import type { FunctionCall } from '../src/index.ts'
import { call, failureOf, opened, resultOf, shared } from '../test/opened.ts'

const plain = shared()

const python: Partial<FunctionCall> = { language: 'python' }

describe('a function in Python', () => {
  test.each([
    ["return f'Hello {name}'"],
    ["f'Hello {name}'"],
    ["def main(name, other=1):\n    return f'Hello {name}'"],
    [
      'import asyncio\nasync def greet(parameters):\n    await asyncio.sleep(0.01)\n' +
        "    return 'Hello ' + parameters['name']",
    ],
    ["for word in ['Hello']:\n    if word:\n        return word + ' ' + parameters['name']"],
  ])('is a body or a module: %s', async (source) => {
    expect(await resultOf(plain, source, { name: 'Ada' }, python)).toBe('Hello Ada')
  })

  test('has its standard library, random values of its own, and None for what is left out', async () => {
    const source =
      'import json, re, hashlib, datetime, decimal\n' +
      "return [a is None, hashlib.sha256(b'abc').hexdigest()[:4],\n" +
      "str(decimal.Decimal('0.1') * 3), re.sub('b', 'c', 'ab')]"
    expect(await resultOf(plain, source, {}, { ...python, parameterNames: ['a'] })).toEqual([
      true,
      'ba78',
      '0.3',
      'ac',
    ])
    const random = 'import random, uuid\nreturn [random.random(), str(uuid.uuid4())]'
    const values = [
      await resultOf(plain, random, {}, python),
      await resultOf(plain, random, {}, python),
    ].flat()
    expect(new Set(values).size).toBe(4)
  })

  test('prints its logs, and fetches as the caller allows', async () => {
    const { logs } = await call(
      plain,
      "import sys\nprint('a', 1)\nprint('b', file=sys.stderr, end='')",
      {},
      python,
    )
    expect(logs.map(({ level, text }) => [level, text])).toEqual([
      ['info', 'a 1'],
      ['error', 'b'],
    ])
    const fetch = async (url: string, { method, body }: { method: string; body?: Uint8Array }) =>
      Response.json({ url, method, body: new TextDecoder().decode(body) }, { status: 201 })
    const source =
      "answer = await fetch('https://a/b', method='post', body='é')\nreturn [answer.status, await answer.json()]"
    expect(await resultOf(plain, source, {}, { ...python, fetch })).toEqual([
      201,
      { url: 'https://a/b', method: 'POST', body: 'é' },
    ])
  })

  test.each([
    ["x = 1\n\nraise ValueError('bad')", 'threw', 3, 1, 'ValueError: bad'],
    ['def f():\n    return 1 / 0\nreturn f()', 'threw', 2, 12, 'ZeroDivisionError'],
    ['a = 1\nreturn (', 'invalidCode', 2, 8, "can't run, at line 2, column 8: '(' was never closed"],
    ['import numpy', 'threw', 1, 1, "No module named 'numpy'"],
    ['import sys\nsys.exit(1)', 'threw', 2, 1, 'SystemExit'],
    ['return {1, 2}', 'invalidOutput', undefined, undefined, 'set is not JSON serializable'],
    ["return float('nan')", 'invalidOutput', undefined, undefined, 'nan'],
  ])('that fails names the reason and the place: %s', async (source, reason, line, column, sentence) => {
    const failure = await failureOf(plain, source, {}, python)
    expect(failure).toMatchObject({ reason, line, column })
    expect(failure.message).toContain(sentence)
  })

  test('is checked without being run', async () => {
    const check = (code: string, dependencies: string[] = []) =>
      plain.check('w1', { language: 'python', code, dependencies, parameterNames: [] })
    expect(await check('while True: pass')).toEqual([])
    expect(await check('a = (\n', ['numpy'])).toEqual([
      { message: 'Python has its standard library here, and no "numpy".' },
      { message: "'(' was never closed", line: 1, column: 5 },
    ])
  })
})

describe('a function in Python leaves nothing for the next of its workspace:', () => {
  const twice = async (source: string) => [
    await resultOf(plain, source, {}, python),
    await resultOf(plain, source, {}, python),
  ]

  test.each([
    ['builtins', "import builtins\nbefore = hasattr(builtins, 'left')\nbuiltins.left = 1"],
    ['attributes of modules', 'import math\nbefore = math.sqrt(4) != 2\nmath.sqrt = lambda x: x'],
    [
      'attributes of classes',
      "import json\nbefore = hasattr(json.JSONEncoder, 'left')\njson.JSONEncoder.left = 1",
    ],
    ['what it imported', "import sys\nbefore = 'csv' in sys.modules\nimport csv"],
    ['its environment', "import os\nbefore = 'LEFT' in os.environ\nos.environ['LEFT'] = '1'"],
    [
      'how it calculates',
      'import decimal\nbefore = decimal.getcontext().prec != 28\ndecimal.getcontext().prec = 5',
    ],
    ['files', "import os\nbefore = os.listdir('/tmp') != []\nopen('/tmp/left', 'w').write('x')"],
    [
      'folders, and where it is',
      "import os\nbefore = os.getcwd() != '/home/pyodide' or os.path.exists('/left')\n" +
        "os.makedirs('/left/a/b')\nopen('/left/a/b/c', 'w').write('x')\nos.chdir('/left/a')",
    ],
    [
      'open files',
      "import os\nfile = os.open('/tmp', 0)\nbefore = file > 8\nfor n in range(9): os.open('/tmp', 0)",
    ],
    ['what JavaScript has', "import js\nbefore = hasattr(js, 'left')\njs.left = 1"],
    [
      'tasks',
      "import asyncio, builtins\nbefore = hasattr(builtins, 'left')\nasync def leave():\n" +
        '    await asyncio.sleep(0)\n    builtins.left = 1\nasyncio.ensure_future(leave())',
    ],
  ])('%s', async (_, source) => {
    expect(await twice(`${source}\nreturn before`)).toEqual([false, false])
  })

  test('also where the process has to end for it', async () => {
    const source = "import os\nbefore = os.path.exists('/lib/python314.zip')\nos.remove('/lib/python314.zip')"
    expect(await twice(`${source}\nreturn before`)).toEqual([true, true])
  })

  test('memory, however often it is called', async () => {
    const source = "kept = ['x' * 1000 for _ in range(n)]\nreturn len(kept)"
    for (let n = 0; n < 200; n += 1)
      expect(await resultOf(plain, source, { n: n % 2 === 0 ? 10 : 20_000 }, python)).toBeGreaterThan(1)
    const held = 'import pyodide_js\nreturn pyodide_js._module._hiwire_num_refs()'
    const [first, second] = await twice(held)
    expect(second).toBe(first)
  })
})

describe('a function in Python does not get out', () => {
  test.each([
    ['to a file', "return open('/etc/passwd').read()", 'No such file'],
    ['to the network', "import socket\nsocket.create_connection(('127.0.0.1', 22), 2)", 'OSError'],
    ['by urllib', "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:22', timeout=2)", 'Error'],
    ['by eval of JavaScript', "from pyodide.code import run_js\nrun_js('1')", 'ImportError'],
    [
      'to a mount',
      "import pyodide_js\npyodide_js.FS.mkdir('/h')\npyodide_js.mountNodeFS('/h', '/etc')\nopen('/h/passwd')",
      '',
    ],
    ['to a process', "import subprocess\nsubprocess.run(['id'])", 'OSError'],
  ])('%s', async (_, source, sentence) => {
    const failure = await failureOf(plain, source, {}, python)
    expect(failure.reason).toBe('threw')
    expect(failure.message).toContain(sentence)
  })

  test('to what JavaScript has, to the environment or to a command', async () => {
    const source = `
import js, os, pyodide_js
scope = pyodide_js.constructor.constructor('return [typeof process, typeof require, typeof fetch.constructor].join()')
return [hasattr(js, 'process'), os.system('id'), 'HOME' in os.environ and os.environ['HOME'], scope()]`
    expect(await resultOf(plain, source, {}, python)).toEqual([
      false,
      -1,
      '/home/pyodide',
      'undefined,undefined,function',
    ])
  })

  test('to another workspace: a process serves one alone', async () => {
    const code = opened({ KERNEL_POOL_SIZE: '1' })
    const leave =
      "import builtins\nbefore = getattr(builtins, 'left', None)\nbuiltins.left = secret\nreturn before"
    expect(await resultOf(code, leave, { secret: 's1' }, python)).toBe(null)
    expect(await resultOf(code, leave, { secret: 's2' }, { ...python, workspaceId: 'w2' })).toBe(null)
    expect(await resultOf(code, 'return globals().get("before")', {}, { ...python, workspaceId: 'w2' })).toBe(
      null,
    )
  })

  test('of its time or memory', async () => {
    const late = await failureOf(plain, 'while True: pass', {}, { ...python, timeoutMs: 1500 })
    expect(late.reason).toBe('timedOut')
    const full = await failureOf(plain, 'all = []\nwhile True: all.append(bytearray(10_000_000))', {}, python)
    expect(full.reason).toBe('outOfMemory')
    expect(full.message).toContain('PYTHON_WORKER_MAX_SIZE_MB')
    expect(await resultOf(plain, 'return 1', {}, python)).toBe(1)
  })
})
