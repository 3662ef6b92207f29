// Runs inside isolates, before the code of authors: what a function finds there, and how it is called. Bundled by
// scripts/bundle-libraries.ts; nothing of Node is there.
import { moduleOfNode } from '../importable-modules.ts'
import { AbortController, AbortSignal } from './abort.ts'
import { type Border, closeBorder, openBorder, resume, wait } from './border.ts'
import { crypto, digestAtOnce } from './crypto.ts'
import { fetch, Headers } from './fetch.ts'
import { console } from './logging.ts'
import { TextDecoder, TextEncoder } from './text-coding.ts'
import { clear, setInterval, setTimeout } from './timers.ts'

type Parameters = Record<string, unknown>
type Require = (name: string) => unknown

interface Module {
  exports: unknown
}

/** What the text of an author was compiled to; `esm` gets what it exports. */
type Factory = (
  parameters: Parameters,
  require: Require,
  load: Require,
  module: Module,
  esm: Record<string, unknown>,
) => Promise<unknown>

type LibraryFactory = (module: Module, exports: unknown, require: Require) => void

/** One call, as the worker process gives it. */
interface Start {
  readonly parameters: string
  readonly maxOutput: number
  /** Names of the parameters that the exported function takes one by one; undefined where it takes all in an object. */
  readonly named: readonly string[] | undefined
}

type Call = (...parameters: unknown[]) => unknown

const { parse, stringify } = JSON
const MOST_CHARACTERS = 10_000

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
}

for (const [name, value] of Object.entries({
  AbortController,
  AbortSignal,
  console,
  crypto,
  fetch,
  Headers,
  TextDecoder,
  TextEncoder,
  setTimeout,
  setInterval,
  setImmediate: (callback: unknown, ...parameters: unknown[]) => setTimeout(callback, 0, ...parameters),
  clearTimeout: clear,
  clearInterval: clear,
  clearImmediate: clear,
  queueMicrotask: (callback: () => void) => void Promise.resolve().then(callback),
}))
  define(name, value)

/** What `web.ts` brings, and whether it is there already. */
const WEB = ['URL', 'URLSearchParams', 'structuredClone', 'atob', 'btoa']
let web: (() => void) | undefined

/** Takes its own placeholders away first: what is loaded looks whether the names are there. */
function loadWeb(): void {
  for (const name of WEB)
    if (Object.getOwnPropertyDescriptor(globalThis, name)?.get !== undefined)
      Reflect.deleteProperty(globalThis, name)
  const load = web
  web = undefined
  load?.()
}

for (const name of WEB)
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get: () => {
      loadWeb()
      return (globalThis as unknown as Parameters)[name]
    },
    set: (value) => define(name, value),
  })

type NodeFactory = (module: Module, exports: unknown, digest: typeof digestAtOnce) => void

/** What `node/` brings, and what it brought when it was used first. */
let node: NodeFactory | undefined
let nodeModules: Parameters | undefined

function loadNode(): Parameters {
  if (nodeModules === undefined) {
    const module: Module = { exports: {} }
    node?.(module, module.exports, digestAtOnce)
    nodeModules = module.exports as Parameters
  }
  return nodeModules
}

Object.defineProperty(globalThis, 'Buffer', {
  configurable: true,
  get: () => (loadNode().buffer as Parameters).Buffer,
  set: (value) => define('Buffer', value),
})

/** Loads each library once, when it is asked for first. */
function loader(libraries: readonly Record<string, LibraryFactory>[]): Require {
  const loaded = new Map<string, Module>()
  const load: Require = (name) => {
    const ofNode = moduleOfNode(String(name))
    if (ofNode !== undefined) return loadNode()[ofNode]
    const known = loaded.get(name)
    if (known !== undefined) return known.exports
    const factory = libraries.find((library) => Object.hasOwn(library, name))?.[name]
    if (factory === undefined)
      throw new Error(`"${name}" can't be imported: name its library among the dependencies of the function.`)
    const module: Module = { exports: {} }
    loaded.set(name, module)
    factory(module, module.exports, load)
    return module.exports
  }
  return load
}

/** What `require` gives: a function that is the default export, or the default export where there is no other. */
function required(exported: unknown): unknown {
  if (typeof exported !== 'object' || exported === null || !('__esModule' in exported)) return exported
  const { default: own, ...others } = exported as Parameters
  const isWhole = typeof own === 'function' && Object.values(others).every((value) => value === own)
  return own !== undefined && (isWhole || Object.keys(others).length === 0) ? own : exported
}

/** What `import` gives of a library that knows only `require`. */
function namespaceOf(exported: unknown): unknown {
  const isObject = (typeof exported === 'object' && exported !== null) || typeof exported === 'function'
  if (!isObject || '__esModule' in exported) return exported
  return Object.assign(Object.create(null), exported, { default: exported })
}

/** The function that a module exports; undefined where its text was a body. */
function exportedFunction({ exports }: Module, esm: Record<string, unknown>): Call | undefined {
  const named = typeof exports === 'object' && exports !== null ? Object.values(exports) : []
  const others = [...Object.values(esm), ...named].filter((value) => typeof value === 'function')
  const candidates = [
    esm.default,
    exports,
    (exports as Parameters | null)?.default,
    others.length === 1 && others[0],
  ]
  return candidates.find((value): value is Call => typeof value === 'function')
}

async function answerOf(
  factory: Factory,
  libraries: readonly Record<string, LibraryFactory>[],
  start: Start,
) {
  const parameters = parse(start.parameters) as Parameters
  const module: Module = { exports: {} }
  const esm: Record<string, unknown> = Object.create(null)
  const load = loader(libraries)
  const require: Require = (name) => required(load(name))
  const imported: Require = (name) => namespaceOf(load(name))
  const returned = await factory(parameters, require, imported, module, esm)
  if (returned !== undefined) return returned
  const exported = exportedFunction(module, esm)
  if (exported === undefined) return null
  return start.named === undefined
    ? exported(parameters)
    : exported(...start.named.map((name) => parameters[name]))
}

function textOf(read: () => unknown): string {
  try {
    return String(read()).slice(0, MOST_CHARACTERS)
  } catch {
    return ''
  }
}

/** What was thrown, as text: it may be anything, and everything of it may throw again. */
function described(thrown: unknown): string {
  const isObject = (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function'
  const part = (name: string) => (isObject ? textOf(() => (thrown as Parameters)[name] ?? '') : '')
  const message = part('message') || textOf(() => thrown)
  return stringify({ name: part('name'), message, stack: part('stack') })
}

async function outcomeOf(
  factory: Factory,
  libraries: readonly Record<string, LibraryFactory>[],
  start: Start,
) {
  let value: unknown
  try {
    value = await answerOf(factory, libraries, start)
  } catch (error) {
    return `threw ${described(error)}`
  }
  try {
    const text = stringify(value) ?? 'null'
    return text.length > start.maxOutput ? `large ${text.length}` : `value ${text}`
  } catch (error) {
    return `invalid ${described(error)}`
  }
}

/**
 * Runs one function in this context: the only door, which the worker process takes away before it is used. Resolves
 * with `value`, `threw`, `large` or `invalid` and what belongs to it.
 */
async function call(
  border: Border,
  factory: Factory,
  startText: string,
  ...libraries: Record<string, LibraryFactory>[]
): Promise<string> {
  // Memory that is counted nowhere, and a way to stop a thread: no function needs them.
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics']) Reflect.deleteProperty(globalThis, name)
  openBorder(border)
  try {
    return await outcomeOf(factory, libraries, parse(startText) as Start)
  } finally {
    closeBorder()
  }
}

define('$platform', {
  call: (
    ask: Border['ask'],
    begin: Border['begin'],
    log: Border['log'],
    factory: Factory,
    start: string,
    loadsWeb: () => void,
    loadsNode: NodeFactory,
    ...libraries: Record<string, LibraryFactory>[]
  ) => {
    web = loadsWeb
    node = loadsNode
    return call({ ask, begin, log }, factory, start, ...libraries)
  },
  resume,
  openBorder,
  closeBorder,
  wait,
})
