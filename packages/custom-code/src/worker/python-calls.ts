import { randomBytes } from 'node:crypto'
import { fstatSync, readFileSync, readSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Context, Isolate, Reference } from 'isolated-vm'
import type { CodeProblem, FunctionCode } from '../custom-code.ts'
import type { WorkerOrder, WorkerReason } from '../pool/messages.ts'
import { CallBorder } from './call-border.ts'
import type { CallEngine, CallOutcome } from './call-engine.ts'
import { endFull, ivm, preludeSnapshot } from './isolated-vm.ts'
import { libraryText } from './libraries.ts'
import type { ServicePipe } from './service-pipe.ts'

const pyodide = {
  module: createRequire(import.meta.url).resolve('pyodide/pyodide.asm.mjs'),
  loader: createRequire(import.meta.url).resolve('pyodide/pyodide.mjs'),
  wasm: createRequire(import.meta.url).resolve('pyodide/pyodide.asm.wasm'),
  standardLibrary: createRequire(import.meta.url).resolve('pyodide/python_stdlib.zip'),
}
const runner = fileURLToPath(new URL('./python-runner.py', import.meta.url))

/** Megabytes of values of JavaScript: the glue around Python, whose own memory is counted with the process. */
const GLUE_MEGABYTES = 256
const ENTRY = `
  import createPyodideModule from 'module'
  import { loadPyodide } from 'loader'
  globalThis.$pyodide = { createPyodideModule, loadPyodide }`

type Start = (...parameters: unknown[]) => Promise<ArrayBuffer | undefined>
type Call = (...parameters: unknown[]) => Promise<string>

/** What stands in the isolate of Python, when it has started. */
interface Started {
  readonly call: Reference<Call>
  readonly resume: Reference<(id: number, answer: string) => void>
  readonly rest: Reference<() => void>
  /** Its memory, for others to start from. */
  readonly image: ArrayBuffer | undefined
}

/** Functions in Python: Pyodide in an isolate, so that nothing of Node is within its reach. For one workspace. */
export class PythonCalls implements CallEngine {
  readonly #pipe: ServicePipe
  readonly #started: Started

  constructor(pipe: ServicePipe, started: Started) {
    this.#pipe = pipe
    this.#started = started
  }

  async call(order: Extract<WorkerOrder, { order: 'call' }>, parameters: string): Promise<CallOutcome> {
    const [first] = order.dependencies
    if (first !== undefined)
      return {
        reason: 'dependencyNotAllowed',
        message: `Python has its standard library here, and no "${first}".`,
      }
    const { code, parameterNames: names, maxOutput } = order
    const said = await this.#run({ code, names, maxOutput, parameters, checks: false })
    const end = said.indexOf(' ')
    const kind = said.slice(0, end)
    if (kind === 'value') return said.slice(end + 1)
    const { message, line, column } = JSON.parse(said.slice(end + 1)) as CodeProblem
    const place = { ...(line == null ? {} : { line }), ...(column == null ? {} : { column }) }
    return { reason: kind as WorkerReason, message, ...place }
  }

  async check({ code, dependencies, parameterNames: names }: FunctionCode): Promise<CodeProblem[]> {
    const missing = dependencies.map((name) => ({
      message: `Python has its standard library here, and no "${name}".`,
    }))
    const said = await this.#run({ code, names, maxOutput: 0, parameters: '{}', checks: true })
    return [...missing, ...(JSON.parse(said.slice(said.indexOf(' ') + 1)) as CodeProblem[])]
  }

  async #run(order: object): Promise<string> {
    const { call, resume } = this.#started
    const border = new CallBorder(this.#pipe, (id, answer) => resume.applyIgnored(undefined, [id, answer]))
    const parts = [
      new ivm.Callback(border.ask),
      new ivm.Callback(border.begin, { ignored: true }),
      new ivm.Callback(border.log, { ignored: true }),
      JSON.stringify(order),
    ]
    try {
      return (await call.apply(undefined, parts, { result: { promise: true, copy: true } })) as string
    } finally {
      border.end()
    }
  }

  /** Its turn comes when nothing else runs. Where what was before is lost the process ends at once. */
  async rest(): Promise<void> {
    try {
      await this.#started.rest.apply(undefined, [])
    } catch (error) {
      writeSync(2, `python could not begin anew: ${error instanceof Error ? error.message : error}\n`)
      process.kill(process.pid, 'SIGKILL')
    }
  }

  prepare(): void {}
}

interface StartOptions {
  /** Only to have its memory, for others. */
  readonly makesImage: boolean
  /** Leads to such a memory. */
  readonly image?: number | undefined
}

export async function startPython({ makesImage, image }: StartOptions): Promise<Started> {
  const isolate = new ivm.Isolate({
    memoryLimit: GLUE_MEGABYTES,
    snapshot: preludeSnapshot(),
    onCatastrophicError: endFull,
  })
  const context = await isolate.createContext()
  await context.eval(libraryText('python'), { filename: 'platform.js' })
  await loadModules(isolate, context)
  const platform = await context.global.get('$python', { reference: true })
  const [start, call, resume, rest] = (['start', 'call', 'resume', 'rest'] as const).map((name) =>
    platform.getSync(name, { reference: true }),
  ) as [Reference<Start>, Reference<Call>, Started['resume'], Started['rest']]
  const files = {
    wasm: bufferOf(readFileSync(pyodide.wasm)),
    standardLibrary: bufferOf(readFileSync(pyodide.standardLibrary)),
    image: image === undefined ? undefined : bufferOf(readAll(image)),
  }
  const made = await start.apply(
    undefined,
    [
      new ivm.ExternalCopy(files, { transferOut: true }).copyInto({ release: true, transferIn: true }),
      new ivm.Callback((length: number) => randomBytes(Math.min(length, 65_536)).toString('base64')),
      readFileSync(runner, 'utf8'),
      makesImage,
    ],
    { result: { promise: true, copy: true } },
  )
  return { call, resume, rest, image: made as ArrayBuffer | undefined }
}

async function loadModules(isolate: Isolate, context: Context): Promise<void> {
  const compile = (path: string, filename: string) =>
    isolate.compileModule(readFileSync(path, 'utf8'), { filename })
  const modules = {
    module: await compile(pyodide.module, 'python.js'),
    loader: await compile(pyodide.loader, 'python-loader.js'),
  }
  const entry = await isolate.compileModule(ENTRY)
  await entry.instantiate(context, (name) => modules[name as keyof typeof modules])
  await entry.evaluate()
}

const bufferOf = (bytes: Buffer): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer

/** A file that only its descriptor leads to. */
function readAll(descriptor: number): Buffer {
  const bytes = Buffer.allocUnsafe(fstatSync(descriptor).size)
  for (let at = 0; at < bytes.length; ) at += readSync(descriptor, bytes, at, bytes.length - at, at)
  return bytes
}
