import type { FunctionCode, FunctionLogLevel } from '../custom-code.ts'

/** What a worker is asked to do, one thing at a time. The body of `call` is the JSON of the parameters. */
export type WorkerOrder = FunctionCode & {
  readonly workspaceId: string
  /** Those that may be imported. */
  readonly libraries: readonly string[]
} & (
    | { readonly order: 'check' }
    /** Characters of the result at most. */
    | { readonly order: 'call'; readonly maxOutput: number }
  )

/** An answer that was fetched; its body is that of the frame. */
export type FetchedHeader = { readonly order: 'fetched'; readonly id: number } & (
  | {
      readonly status: number
      readonly statusText: string
      readonly headers: [name: string, value: string][]
      readonly url: string
      readonly redirected: boolean
    }
  | { readonly error: string }
)

export type ToWorker = WorkerOrder | FetchedHeader

/** Why a worker has no result. */
export type WorkerReason =
  | 'threw'
  | 'invalidCode'
  | 'dependencyNotAllowed'
  | 'outOfMemory'
  | 'outputTooLarge'
  | 'invalidOutput'

/** What a worker says. The body of `done` is the result as JSON, that of `log` the text. */
export type FromWorker =
  | { readonly said: 'ready' }
  | { readonly said: 'log'; readonly level: FunctionLogLevel; readonly at: number }
  | {
      readonly said: 'fetch'
      readonly id: number
      readonly url: string
      readonly method: string
      readonly headers: [name: string, value: string][]
      readonly redirect: string
    }
  | { readonly said: 'done' }
  | {
      readonly said: 'failed'
      readonly reason: WorkerReason
      readonly message: string
      readonly line?: number
      readonly column?: number
    }
