import { LRUCache } from 'lru-cache'
import type { CodeProblem, FunctionCode } from '../custom-code.ts'
import type { WorkerOrder, WorkerReason } from '../pool/messages.ts'
import { type CallEngine, type CallFailure, type CallOutcome, InvalidCode } from './call-engine.ts'
import { compileFunction } from './compile-function.ts'
import { ivm } from './isolated-vm.ts'
import { FILE, JavascriptIsolate, type Said } from './javascript-isolate.ts'
import type { ServicePipe } from './service-pipe.ts'
import type { Place } from './strip-types.ts'

/** Workspaces whose isolates a process keeps. */
const KEPT_ISOLATES = 8
/** An isolate that holds more after a call is made anew. */
const MOST_HELD_BYTES = 32_000_000

/** Functions in JavaScript and TypeScript: an isolate for each workspace. */
export class JavascriptCalls implements CallEngine {
  readonly #pipe: ServicePipe
  readonly #memoryMegabytes: number
  readonly #isolates = new LRUCache<string, JavascriptIsolate>({
    max: KEPT_ISOLATES,
    dispose: (isolate) => isolate.dispose(),
  })
  /** Of the last call, until the next is prepared. */
  #last: { workspaceId: string; isolate: JavascriptIsolate } | undefined

  constructor(pipe: ServicePipe, memoryMegabytes: number) {
    this.#pipe = pipe
    this.#memoryMegabytes = memoryMegabytes
    // The snapshot is made before the first call, and one isolate shows that they can be.
    new JavascriptIsolate(memoryMegabytes, []).dispose()
  }

  async call(order: Extract<WorkerOrder, { order: 'call' }>, parameters: string): Promise<CallOutcome> {
    const { workspaceId } = order
    let isolate = this.#isolates.get(workspaceId)
    try {
      if (isolate === undefined) {
        isolate = new JavascriptIsolate(this.#memoryMegabytes, order.libraries)
        this.#isolates.set(workspaceId, isolate)
      }
      this.#last = { workspaceId, isolate }
      return outcomeOf(await isolate.call(order, parameters, order.maxOutput, this.#pipe))
    } catch (error) {
      if (error instanceof InvalidCode) return { reason: error.reason, ...error.problem }
      if (isolate?.isDisposed === true) return { reason: 'outOfMemory', message: 'It held too many values.' }
      throw error
    }
  }

  async check(code: FunctionCode, libraries: readonly string[]): Promise<CodeProblem[]> {
    const isolate = new ivm.Isolate({ memoryLimit: 64 })
    try {
      const { script } = compileFunction(code, libraries)
      isolate.compileScriptSync(script, { filename: FILE, lineOffset: -1 })
      return []
    } catch (error) {
      return [
        error instanceof InvalidCode
          ? error.problem
          : { message: error instanceof Error ? error.message : String(error) },
      ]
    } finally {
      isolate.dispose()
    }
  }

  rest(): Promise<void> {
    if (this.#last === undefined) return Promise.resolve()
    const { workspaceId, isolate } = this.#last
    if (isolate.isDisposed || isolate.heldBytes > MOST_HELD_BYTES) {
      this.#isolates.delete(workspaceId)
      this.#last = undefined
    }
    return Promise.resolve()
  }

  prepare(): void {
    this.#last?.isolate.prepare()
    this.#last = undefined
  }
}

interface Thrown {
  readonly name: string
  readonly message: string
  readonly stack: string
}

/** What the prelude said, as the service wants to hear it. */
function outcomeOf({ said, originOf }: Said): CallOutcome {
  const end = said.indexOf(' ')
  const [kind, rest] = [said.slice(0, end), said.slice(end + 1)]
  if (kind === 'value') return rest
  if (kind === 'large') return failure('outputTooLarge', `Its result has ${rest} characters.`)
  const thrown = JSON.parse(rest) as Thrown
  if (kind === 'invalid') return failure('invalidOutput', sentence(thrown))
  const place = placeOf(thrown.stack)
  return { ...failure('threw', sentence(thrown)), ...(place === undefined ? {} : originOf(place)) }
}

const failure = (reason: WorkerReason, message: string): CallFailure => ({ reason, message })

const sentence = ({ name, message }: Thrown): string =>
  [name, message].filter((text) => text !== '').join(': ') || 'something that says nothing'

const PLACE = new RegExp(`${FILE.replace('.', '\\.')}:(\\d+):(\\d+)`)

/** The first place of the stack that the author has written. */
function placeOf(stack: string): Place | undefined {
  const [, line, column] = PLACE.exec(stack) ?? []
  return line === undefined || Number(line) < 1 ? undefined : { line: Number(line), column: Number(column) }
}
