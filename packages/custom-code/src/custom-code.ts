export type FunctionLanguage = 'javascript' | 'typescript' | 'python'

/** What the author of a function has written. */
export interface FunctionCode {
  readonly language: FunctionLanguage
  /**
   * The body of a function that has the parameters by their names, or a module that exports one function: as
   * `export default` or `module.exports =`, and in Python as `def main(…)`.
   */
  readonly code: string
  /** Libraries it may import; each must be one that the platform has. */
  readonly dependencies: readonly string[]
  /** The parameters that are declared: those that a call leaves out are undefined, `None` in Python. */
  readonly parameterNames: readonly string[]
}

/** One call of a function. */
export interface FunctionCall extends FunctionCode {
  readonly workspaceId: string
  /** Of the function, for sentences. */
  readonly name: string
  /** JSON. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Longest it may take once it has begun; never longer than the settings allow. */
  readonly timeoutMs: number
  /** Ends the call, which then rejects with the reason of the signal. */
  readonly signal: AbortSignal
  /** What `fetch` calls inside. Without it there is no network. */
  readonly fetch?: GuardedFetch
}

/** What a function asks for with `fetch`. */
export interface GuardedRequest {
  readonly method: string
  readonly headers: [name: string, value: string][]
  readonly body?: Uint8Array<ArrayBuffer>
  readonly redirect: 'follow' | 'manual' | 'error'
  /** Aborts when the call is over. */
  readonly signal: AbortSignal
}

/** Calls the outside as `fetch` does; whoever gives it decides which addresses may be called. */
export type GuardedFetch = (url: string, request: GuardedRequest) => Promise<Response>

export type FunctionLogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface FunctionLog {
  readonly level: FunctionLogLevel
  readonly text: string
  /** Unix milliseconds. */
  readonly at: number
}

export interface FunctionAnswer {
  /** JSON; null where the function returns nothing. */
  readonly result: unknown
  readonly logs: readonly FunctionLog[]
  /** Of the function itself, without the wait for its turn. */
  readonly durationMs: number
}

/** Why a function can't run, known without running it. Lines and columns count from 1. */
export interface CodeProblem {
  readonly message: string
  readonly line?: number
  readonly column?: number
}

/** Functions of authors, each call in a process that may die. */
export interface CustomCode extends AsyncDisposable {
  /** Rejects with FunctionFailure, or with the reason of the signal. */
  call(call: FunctionCall): Promise<FunctionAnswer>
  /** What is wrong with it, for whoever saves it; nothing of it runs. Rejects with FunctionFailure when too busy. */
  check(workspaceId: string, code: FunctionCode): Promise<CodeProblem[]>
  /** The libraries that JavaScript and TypeScript may import, by name. */
  readonly libraries: readonly string[]
}
