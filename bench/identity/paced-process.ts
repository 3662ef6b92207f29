import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type Dispatcher, Pool } from 'undici'
import type { PacedPlan, PacedResult } from './paced.ts'

/** What a request carries: always the same, or a JWT of the right shape that names a key nobody has. */
const authorizationOf = (plan: PacedPlan): string =>
  plan.authorization === 'unknown keys' ? `Bearer ${forgedJwt(plan.issuer)}` : plan.authorization

function forgedJwt(issuer: string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const kid = randomBytes(32).toString('base64url')
  const claims = { sub: 'nobody', iss: issuer, aud: issuer, iat: now, exp: now + 600, jti: kid, scope: '' }
  return `${part({ alg: 'RS256', typ: 'at+jwt', kid })}.${part(claims)}.${randomBytes(256).toString('base64url')}`
}

const TICK_MS = 1
/** The sender itself is slow until its code is compiled: what was due before that is not counted. */
const WARM_UP_MS = 3000

/** What came back, and how long after it was due. */
class Answers {
  readonly latencies: number[] = []
  readonly statuses: Record<string, number> = {}
  open = 0

  count(status: number | 'failed', dueAt: number, isWarm: boolean): void {
    this.open -= 1
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
    if (isWarm && status !== 'failed') this.latencies.push(performance.now() - dueAt)
  }

  /** Told by undici what becomes of one request; nothing of the body is kept. */
  handler(dueAt: number, isWarm: boolean): Dispatcher.DispatchHandler {
    this.open += 1
    let status = 0
    return {
      onRequestStart: () => {},
      onResponseStart: (_controller, given) => {
        status = given
      },
      onResponseData: () => {},
      onResponseEnd: () => this.count(status, dueAt, isWarm),
      onResponseError: () => this.count('failed', dueAt, isWarm),
    }
  }
}

function requestOf(plan: PacedPlan, path: string): Dispatcher.DispatchOptions {
  const authorization = plan.authorization === '' ? {} : { authorization: authorizationOf(plan) }
  return {
    path,
    method: plan.form === undefined ? 'GET' : 'POST',
    headers: { ...authorization, ...plan.headers },
    body: plan.form ?? null,
  }
}

/** Sends at a fixed rate, whatever the answers do: latency counts from the instant a request was due. */
async function run(plan: PacedPlan): Promise<PacedResult> {
  const { origin, pathname } = new URL(plan.url)
  const pool = new Pool(origin, { connections: plan.connections, pipelining: 1 })
  const answers = new Answers()
  const total = ((WARM_UP_MS + plan.durationMs) / 1000) * plan.perSecond
  const started = performance.now()
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, ((performance.now() - started) / 1000) * plan.perSecond)
    for (; sent < due; sent += 1) {
      const afterMs = (sent * 1000) / plan.perSecond
      pool.dispatch(requestOf(plan, pathname), answers.handler(started + afterMs, afterMs >= WARM_UP_MS))
    }
    await setTimeout(TICK_MS)
  }
  while (answers.open > 0) await setTimeout(TICK_MS)
  const seconds = (performance.now() - started - WARM_UP_MS) / 1000
  await pool.close()
  const latencies = answers.latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    statuses: answers.statuses,
    perSecond: latencies.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: latencies.at(-1) ?? 0,
  }
}

process.once('message', (plan: PacedPlan) => {
  void run(plan).then((result) => process.send?.(result, () => process.disconnect()))
})
