// Runs inside the isolate of functions in Python, after the prelude: what Pyodide needs of a shell, and how a function
// is called. It is bundled by scripts/bundle-libraries.ts; nothing of Node is there.
import type * as BorderModule from './border.ts'
import type { Border } from './border.ts'
import { PythonState, type StatefulPyodide } from './python-state.ts'

/** What Pyodide is made of, as the worker process gives it. */
interface Files {
  readonly wasm: ArrayBuffer
  readonly standardLibrary: ArrayBuffer
  /** The memory of one that has started; undefined where it has to start. */
  readonly image: ArrayBuffer | undefined
}

interface Pyodide extends StatefulPyodide {
  runPython(code: string): unknown
  makeMemorySnapshot(): Uint8Array
}

type LoadPyodide = (options: Record<string, unknown>) => Promise<Pyodide>

/** The function that src/worker/python-runner.py defines. */
type Runner = (
  order: string,
  log: (level: string, text: string) => void,
  fetch: (request: string, body: string) => Promise<string>,
) => Promise<string>

const scope = globalThis as unknown as Record<string, unknown>
/** The border of the prelude: its timers and this wait at the same one. */
const { openBorder, closeBorder, resume, wait } = scope.$platform as typeof BorderModule
delete scope.$platform
let runner: Runner | undefined
let state: PythonState | undefined

/** The files that Pyodide reads; nothing else is one. */
const readable = new Map<string, ArrayBuffer>()

function readbuffer(path: string): ArrayBuffer {
  const bytes = readable.get(path.slice(path.lastIndexOf('/') + 1))
  if (bytes === undefined) throw new Error('There are no files.')
  return bytes
}

// By these Pyodide knows, while it is loaded, that it is in a shell.
Object.assign(scope, {
  read: readbuffer,
  load: readbuffer,
  readbuffer,
  performance: { now: () => Date.now() },
})

/** Would let go of what was in the memory when that has become the memory of another call. */
scope.FinalizationRegistry = class {
  register(): void {}
  unregister(): void {}
}

/** Pyodide asks the machine for random bytes by a command where it finds neither Node nor a browser. */
const randomOf = (random: (length: number) => string) => ({
  system: (_: string, [, command = '']: string[]) => random(Number(/-c(\d+)/.exec(command)?.[1] ?? 0)),
})

/** As far as it is used here. */
interface Wasm {
  readonly Module: new (source: ArrayBuffer) => object
  readonly Instance: new (module: object, imports: unknown) => object
}

interface Imports {
  readonly env: Record<string, unknown>
}

/** By which Python knows values of JavaScript that it knows once only: kept here, where they can be restored. */
const numbers = new Map<unknown, unknown>()

/**
 * Compiles at once: an isolate has no thread of its own for it, and what compiles beside it is at times never heard of
 * again. Called before Pyodide is loaded, which compiles something by itself while it is.
 */
function compileAtOnce(): void {
  const { Module, Instance } = scope.WebAssembly as Wasm
  const instantiate = async (source: ArrayBuffer | object, imports?: Imports) => {
    if (imports !== undefined) Object.assign(imports.env, { __hiwire_deduplicate_new: () => numbers })
    if (source instanceof Module) return new Instance(source, imports)
    const module = new Module(source as ArrayBuffer)
    return { module, instance: new Instance(module, imports) }
  }
  Object.assign(scope.WebAssembly as Wasm, {
    compile: async (source: ArrayBuffer) => new Module(source),
    instantiate,
  })
}

compileAtOnce()

/** The versions that Pyodide wants to know of a list of packages; there are none. */
const NO_PACKAGES = {
  info: { abi_version: '2026_0', arch: 'wasm32', platform: 'emscripten_5_0_3' },
  packages: {},
}

/** Resolves with the memory of it, where that is wanted. */
async function start(
  { wasm, standardLibrary, image }: Files,
  random: (length: number) => string,
  source: string,
  makesImage: boolean,
): Promise<ArrayBuffer | undefined> {
  readable.set('python_stdlib.zip', standardLibrary).set('pyodide.asm.wasm', wasm)
  scope.os = randomOf(random)
  const { loadPyodide, createPyodideModule } = scope.$pyodide as {
    loadPyodide: LoadPyodide
    createPyodideModule: unknown
  }
  delete scope.$pyodide
  const js = Object.create(null) as object
  const python = await loadPyodide({
    indexURL: '/pyodide/',
    createPyodideModule,
    lockFileContents: NO_PACKAGES,
    jsglobals: js,
    checkAPIVersion: false,
    _makeSnapshot: makesImage,
    ...(image === undefined ? {} : { _loadSnapshot: new Uint8Array(image) }),
  })
  if (image === undefined) python.runPython(source)
  if (makesImage) return python.makeMemorySnapshot().slice().buffer as ArrayBuffer
  runner = python.runPython('__platform_run') as Runner
  state = new PythonState(python, numbers, [scope, js, python])
  return undefined
}

async function call(
  ask: Border['ask'],
  begin: Border['begin'],
  log: Border['log'],
  order: string,
): Promise<string> {
  openBorder({ ask, begin, log })
  try {
    if (runner === undefined) throw new Error('Python has not started.')
    return await runner(order, log, (request, body) => wait('fetch', request, body))
  } finally {
    closeBorder()
  }
}

/** Called when nothing of a call runs any more: what it left is gone then. */
const rest = (): void => state?.restore()

Object.defineProperty(globalThis, '$python', { configurable: true, value: { start, call, resume, rest } })
