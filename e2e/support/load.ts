import { Agent, request } from 'node:http'

/** One request of a load and what came of it; status 0 where no answer came. */
export interface Outcome {
  token: string
  status: number
  startedAt: number
  endedAt: number
}

/** What a load asks for next. */
export interface Ask {
  origin: string
  path: string
  method: 'GET' | 'POST'
  token: string
}

const TICK_MS = 10
/** A machine that can't keep up is asked for less instead of being drowned. */
const MOST_AT_ONCE = 64

/** Sends requests at an even rate, as far as answers come, until stopped; each outcome is told. */
export function startLoad(perSecond: number, next: () => Ask, tell: (outcome: Outcome) => void) {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  const running = new Set<Promise<void>>()
  const startedAt = performance.now()
  let [due, sent] = [0, 0]
  const timer = setInterval(() => {
    for (; due < ((performance.now() - startedAt) / 1000) * perSecond; due += 1) {
      if (running.size >= MOST_AT_ONCE) continue
      sent += 1
      const ask = next()
      const one: Promise<void> = send(agent, ask)
        .then(tell)
        .finally(() => running.delete(one))
      running.add(one)
    }
  }, TICK_MS)
  return {
    /** Waits for the last answers; answers how many requests a second were sent. */
    async stop(): Promise<number> {
      clearInterval(timer)
      const seconds = (performance.now() - startedAt) / 1000
      await Promise.all(running)
      agent.destroy()
      return Math.round(sent / seconds)
    },
  }
}

/** Sends one request; an answer that does not come is an outcome too. */
export function send(agent: Agent | undefined, { origin, path, method, token }: Ask): Promise<Outcome> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const end = (status: number) => resolve({ token, status, startedAt, endedAt: performance.now() })
    const asked = request(
      origin + path,
      { method, timeout: 15_000, headers: { authorization: `Bearer ${token}` }, ...(agent && { agent }) },
      (answer) => {
        answer.resume()
        answer.once('end', () => end(answer.statusCode ?? 0))
        answer.once('error', () => end(0))
      },
    )
    asked.once('timeout', () => asked.destroy())
    asked.once('error', () => end(0))
    asked.end()
  })
}

/** The value below which this share of the numbers is. */
export const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0
