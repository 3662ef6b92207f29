import type { Context, Isolate, Reference, Script } from 'isolated-vm'
import { LRUCache } from 'lru-cache'
import type { FunctionCode } from '../custom-code.ts'
import { libraryOf, moduleOfNode } from '../importable-modules.ts'
import { CallBorder } from './call-border.ts'
import { type CompiledFunction, compileFunction } from './compile-function.ts'
import { endFull, ivm, preludeSnapshot } from './isolated-vm.ts'
import { libraryText } from './libraries.ts'
import type { ServicePipe } from './service-pipe.ts'

/** Characters of the code that one isolate keeps compiled. */
const KEPT_CHARACTERS = 2_000_000

const TAKE_PLATFORM = '(()=>{const taken=globalThis.$platform;delete globalThis.$platform;return taken})()'

interface Prepared {
  readonly context: Context
  readonly call: Reference<(...parameters: unknown[]) => Promise<string>>
  readonly resume: Reference<(id: number, answer: string) => void>
}

interface Known {
  readonly compiled: CompiledFunction
  readonly script: Script
}

/** What the prelude says of the outcome of a call. */
export interface Said extends Pick<CompiledFunction, 'originOf'> {
  readonly said: string
}

/** The isolate of one workspace. Each call has a context in which nothing ran before, and which nothing sees after. */
export class JavascriptIsolate {
  readonly #isolate: Isolate
  readonly #taking: Script
  readonly #libraries = new Map<string, Script>()
  readonly #known = new LRUCache<string, Known>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: ({ compiled }, key) => compiled.script.length + key.length,
    dispose: ({ script }) => script.release(),
  })
  readonly #names: readonly string[]
  #prepared: Promise<Prepared> | undefined

  constructor(memoryMegabytes: number, libraries: readonly string[]) {
    this.#names = libraries
    this.#isolate = new ivm.Isolate({
      memoryLimit: memoryMegabytes,
      snapshot: preludeSnapshot(),
      onCatastrophicError: endFull,
    })
    this.#taking = this.#isolate.compileScriptSync(TAKE_PLATFORM)
  }

  get isDisposed(): boolean {
    return this.#isolate.isDisposed
  }

  /** Has the context of the next call made while nobody waits for it. */
  prepare(): void {
    this.#prepared ??= this.#context()
    this.#prepared.catch(() => undefined)
  }

  async #context(): Promise<Prepared> {
    const context = await this.#isolate.createContext()
    const platform = this.#taking.runSync(context, { reference: true }) as Reference<
      Omit<Prepared, 'context'>
    >
    const [call, resume] = (['call', 'resume'] as const).map((name) =>
      platform.getSync(name, { reference: true }),
    )
    platform.release()
    return { context, call, resume } as unknown as Prepared
  }

  /** Bytes of values that are held. Waits until nothing runs: what goes on after its answer is so found out. */
  get heldBytes(): number {
    const { used_heap_size: heap, externally_allocated_size: external } =
      this.#isolate.getHeapStatisticsSync()
    return heap + external
  }

  /** Throws InvalidCode, or what a full isolate throws. */
  async call(code: FunctionCode, parameters: string, maxOutput: number, pipe: ServicePipe): Promise<Said> {
    const { compiled, script } = this.#compiled(code)
    const imported = compiled.imports.filter((name) => moduleOfNode(name) === undefined)
    const libraries = [...new Set(imported.map(libraryOf))].map((name) => this.#library(name))
    this.prepare()
    const { context, call, resume } = await (this.#prepared as Promise<Prepared>)
    this.#prepared = undefined
    const border = new CallBorder(pipe, (id, answer) => resume.applyIgnored(undefined, [id, answer]))
    const into = (one: Script) =>
      (one.runSync(context, { reference: true }) as Reference).derefInto({ release: true })
    const { named } = compiled
    const parts = [
      new ivm.Callback(border.ask),
      new ivm.Callback(border.begin, { ignored: true }),
      new ivm.Callback(border.log, { ignored: true }),
      into(script),
      JSON.stringify({ parameters, maxOutput, named }),
      into(this.#library('web')),
      into(this.#library('node')),
      ...libraries.map(into),
    ]
    try {
      const said = await call.apply(undefined, parts, { result: { promise: true, copy: true } })
      return { said: said as string, originOf: compiled.originOf }
    } finally {
      border.end()
      if (!this.isDisposed) {
        call.release()
        resume.release()
        context.release()
      }
    }
  }

  #compiled(code: FunctionCode): Known {
    const key = JSON.stringify([code.language, code.parameterNames, code.dependencies, code.code])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const compiled = compileFunction(code, this.#names)
    const script = this.#isolate.compileScriptSync(compiled.script, { filename: FILE, lineOffset: -1 })
    const made = { compiled, script }
    this.#known.set(key, made)
    return made
  }

  #library(name: string): Script {
    let script = this.#libraries.get(name)
    if (script === undefined) {
      script = this.#isolate.compileScriptSync(libraryText(name), { filename: `${name}.js` })
      this.#libraries.set(name, script)
    }
    return script
  }

  dispose(): void {
    if (!this.isDisposed) this.#isolate.dispose()
  }
}

/** The name of the text of an author in a stack. */
export const FILE = 'function.js'
