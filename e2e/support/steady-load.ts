import { Agent, type ClientRequest, request } from 'node:http'

/** What is asked; a slow one sends its body in pieces for that long. */
export interface Ask {
  method: 'GET' | 'POST'
  path: string
  token: string
  body?: string
  slowMs?: number
  /** Called when it was served. */
  served?: () => void
}

/** A request that was not served, and why. */
export interface Miss {
  at: string
  what: string
  client: string
}

/** Chooses where the next request goes; undefined when there is nowhere. */
export interface Client {
  name: string
  choose(): string | undefined
  [Symbol.dispose](): void
}

const TICK_MS = 20
const PIECES = 10
const CHECK_MS = 200
/** What the specification asks of a readiness probe. */
const CHECK_TIMEOUT_MS = 3000
/** As the load balancer beside it: one slow answer says nothing. */
const CHECKS_FAILED = 3
const PATIENCE_MS = 40_000

/** A client that knows one address: a load balancer stands there. */
export const clientOf = (name: string, origin: string): Client => ({
  name,
  choose: () => origin,
  [Symbol.dispose]: () => undefined,
})

/**
 * A client that knows every gateway, asks each five times a second whether it takes requests, and uses those that do
 * in turn.
 */
export function directClient(origins: readonly string[]): Client {
  const ready = new Set<string>(origins)
  const failures = new Map<string, number>()
  let turn = 0
  const check = async (origin: string) => {
    const answer = await fetch(`${origin}/sys/readyz`, {
      signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
    }).catch(() => undefined)
    await answer?.body?.cancel()
    const failed = answer?.status === 200 ? 0 : (failures.get(origin) ?? 0) + 1
    failures.set(origin, failed)
    if (failed === 0) ready.add(origin)
    else if (failed >= CHECKS_FAILED) ready.delete(origin)
  }
  const timer = setInterval(() => {
    for (const origin of origins) void check(origin)
  }, CHECK_MS)
  return {
    name: 'direct',
    choose: () => [...ready][turn++ % Math.max(1, ready.size)],
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

const REPEAT_MS = 250
const REPEATS_MAX = 40

/**
 * Sends requests at an even rate on kept connections, clients in turn, each once: whatever fails is a miss. Only while
 * `mayRepeat` says so, because a process was just killed with requests in its hands, they are sent again.
 */
export class SteadyLoad {
  readonly misses: Miss[] = []
  served = 0
  repeated = 0
  slowServed = 0
  readonly #agent = new Agent({ keepAlive: true })
  readonly #running = new Set<Promise<void>>()
  readonly #timer: NodeJS.Timeout

  readonly #mayRepeat: () => boolean

  constructor(
    perSecond: number,
    clients: readonly Client[],
    next: (n: number) => Ask,
    mayRepeat = () => false,
  ) {
    this.#mayRepeat = mayRepeat
    const startedAt = performance.now()
    let n = 0
    this.#timer = setInterval(() => {
      for (; n < ((performance.now() - startedAt) / 1000) * perSecond; n += 1) {
        const client = clients[n % clients.length]
        if (client !== undefined) this.#send(client, next(n))
      }
    }, TICK_MS)
  }

  /** Resolves when the last answer is there. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#running)
    this.#agent.destroy()
  }

  #send(client: Client, ask: Ask): void {
    const startedAt = performance.now()
    const one: Promise<void> = this.#untilServed(client, ask)
      .then((problem) => {
        if (problem !== undefined) {
          const ms = Math.round(performance.now() - startedAt)
          const what =
            `${ask.method} ${ask.path}${ask.slowMs === undefined ? '' : ' (slow)'}: ${problem} ` +
            `after ${ms} ms`
          this.misses.push({ at: new Date().toISOString(), what, client: client.name })
          return
        }
        this.served += 1
        ask.served?.()
        if (ask.slowMs !== undefined) this.slowServed += 1
      })
      .finally(() => this.#running.delete(one))
    this.#running.add(one)
  }

  async #untilServed(client: Client, ask: Ask): Promise<string | undefined> {
    for (let repeats = 0; ; repeats += 1) {
      const problem = await this.#once(client, ask)
      if (problem === undefined || repeats === REPEATS_MAX || !this.#mayRepeat()) return problem
      this.repeated += 1
      await new Promise((resolve) => setTimeout(resolve, REPEAT_MS))
    }
  }

  #once(client: Client, ask: Ask): Promise<string | undefined> {
    const origin = client.choose()
    if (origin === undefined) return Promise.resolve('no gateway is ready')
    return new Promise((resolve) => {
      const headers = { authorization: `Bearer ${ask.token}`, 'content-type': 'application/json' }
      const options = { method: ask.method, agent: this.#agent, timeout: PATIENCE_MS, headers }
      const asked = request(origin + ask.path, options, (answer) => {
        const isServed = answer.statusCode === 200
        let text = ''
        if (isServed) answer.resume()
        else answer.setEncoding('utf8').on('data', (piece) => (text += piece))
        answer.once('end', () => resolve(isServed ? undefined : `${answer.statusCode} ${sentenceOf(text)}`))
        answer.once('error', (error) => resolve(error.message))
      })
      asked.once('timeout', () => asked.destroy(new Error('no answer in time')))
      asked.once('error', (error) =>
        resolve(`${error.message}${asked.reusedSocket ? ' on a kept connection' : ''}`),
      )
      if (ask.slowMs === undefined) asked.end(ask.body)
      else trickle(asked, ask.slowMs)
    })
  }
}

/** What an error body says to people; as it is where it is none. */
function sentenceOf(text: string): string {
  try {
    return String(JSON.parse(text).message)
  } catch {
    return text.slice(0, 200)
  }
}

/** A body of JSON, a piece at a time. */
function trickle(asked: ClientRequest, slowMs: number): void {
  let piece = 0
  asked.write('[')
  const timer = setInterval(() => {
    piece += 1
    if (piece < PIECES) asked.write('1,')
    else asked.end('1]')
    if (piece >= PIECES) clearInterval(timer)
  }, slowMs / PIECES)
  asked.once('close', () => clearInterval(timer))
}
