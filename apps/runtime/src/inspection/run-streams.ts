import { Failure } from '@platform/kernel'

/** Streams of runs that are open here, so many a workspace at most. */
export class RunStreams {
  readonly #open = new Map<string, Set<AbortController>>()
  readonly #most: number
  #isClosed = false

  constructor(most: number) {
    this.#most = most
  }

  /** A place for one more, until its signal aborts or `leave` is called. Throws TooManyRequests. */
  enter(workspaceId: string): { readonly signal: AbortSignal; leave(): void } {
    const streams = this.#open.get(workspaceId) ?? new Set()
    if (streams.size >= this.#most) throw tooMany(this.#most)
    const controller = new AbortController()
    if (this.#isClosed) controller.abort()
    streams.add(controller)
    this.#open.set(workspaceId, streams)
    return {
      signal: controller.signal,
      leave: () => {
        controller.abort()
        streams.delete(controller)
        if (streams.size === 0) this.#open.delete(workspaceId)
      },
    }
  }

  /** Ends all; their clients come back, to an instance that stays. */
  close(): void {
    this.#isClosed = true
    for (const streams of this.#open.values()) for (const one of streams) one.abort()
  }
}

const tooMany = (most: number) =>
  new Failure(
    'TooManyRequests',
    `This workspace follows ${most} runs here already: close a stream, or read the run now and then.`,
    { retryAfterSeconds: 10 },
  )
