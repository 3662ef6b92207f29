import { Agent, request } from 'node:http'

/** A request of the load: one of each kind is sent again and again. */
export interface Kind {
  name: string
  method: 'GET' | 'POST'
  path: string
  /** What is posted, for the n-th request of this kind. */
  body?: (n: number) => unknown
}

/** One request and what came of it; status 0 where the connection broke. */
export interface Observed {
  kind: string
  n: number
  startedAt: number
  ms: number
  status: number
  retryAfter: string | undefined
  /** `error` of the JSON body. */
  error: string | undefined
}

const EVERY_MS = 200
/** Far above every deadline: what takes longer has hung. */
const PATIENCE_MS = 15_000

/** Sends each kind five times a second, whether answers come or not, and remembers everything. */
export class FaultLoad {
  readonly observed: Observed[] = []
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 200 })
  readonly #running = new Set<Promise<void>>()
  readonly #origin: string
  readonly #token: string
  readonly #kinds: readonly Kind[]
  #timer: NodeJS.Timeout | undefined
  #n = 0

  constructor(origin: string, token: string, kinds: readonly Kind[]) {
    this.#origin = origin
    this.#token = token
    this.#kinds = kinds
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      const n = this.#n++
      for (const kind of this.#kinds) {
        const one: Promise<void> = send(this.#agent, this.#origin, this.#token, kind, n)
          .then((observed) => void this.observed.push(observed))
          .finally(() => this.#running.delete(one))
        this.#running.add(one)
      }
    }, EVERY_MS)
  }

  /** Resolves when the last answer is there. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#running)
    this.#agent.destroy()
  }

  /** The slowest answer to a request of this kind, of those under way at some time of this span. */
  slowestMs(kind: string, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY): number {
    const underWay = this.observed.filter(
      (one) => one.kind === kind && one.startedAt <= to && one.startedAt + one.ms >= from,
    )
    return Math.max(0, ...underWay.map(({ ms }) => ms))
  }

  /** Requests that began in this span of `performance.now()`. */
  between(from: number, to: number): Observed[] {
    return this.observed.filter(({ startedAt }) => startedAt >= from && startedAt < to)
  }
}

/** Sends one request; a connection that breaks is an outcome too. */
export function send(
  agent: Agent | undefined,
  origin: string,
  token: string,
  { name: kind, method, path, body }: Kind,
  n: number,
): Promise<Observed> {
  const startedAt = performance.now()
  const text = body === undefined ? undefined : JSON.stringify(body(n))
  return new Promise((resolve) => {
    const end = (status: number, retryAfter?: string, error?: string) =>
      resolve({ kind, n, startedAt, ms: performance.now() - startedAt, status, retryAfter, error })
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    }
    const asked = request(
      origin + path,
      { method, timeout: PATIENCE_MS, headers, ...(agent && { agent }) },
      (answer) => {
        let received = ''
        answer.on('data', (chunk) => {
          received += chunk
        })
        answer.once('end', () =>
          end(answer.statusCode ?? 0, answer.headers['retry-after'], errorOf(received)),
        )
        answer.once('error', () => end(0))
      },
    )
    asked.once('timeout', () => asked.destroy())
    asked.once('error', () => end(0))
    asked.end(text)
  })
}

function errorOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}
