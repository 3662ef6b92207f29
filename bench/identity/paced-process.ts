import { randomBytes } from 'node:crypto'
import { Pool } from 'undici'
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

/** Sends at a fixed rate, whatever the answers do: latency counts from the instant a request was due. */
async function run(plan: PacedPlan): Promise<PacedResult> {
  const { origin, pathname } = new URL(plan.url)
  const pool = new Pool(origin, { connections: plan.connections, pipelining: 1 })
  const latencies: number[] = []
  const statuses: Record<string, number> = {}
  const pending = new Set<Promise<void>>()
  const send = async (dueAt: number) => {
    const answer = await pool.request({
      path: pathname,
      method: plan.form === undefined ? 'GET' : 'POST',
      headers: {
        ...(plan.authorization === '' ? {} : { authorization: authorizationOf(plan) }),
        ...plan.headers,
      },
      body: plan.form ?? null,
    })
    await answer.body.dump()
    latencies.push(performance.now() - dueAt)
    statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1
  }
  const started = performance.now()
  for (let sent = 0; performance.now() - started < plan.durationMs; ) {
    const due = Math.floor(((performance.now() - started) / 1000) * plan.perSecond)
    for (; sent < due; sent += 1) {
      const one = send(started + (sent * 1000) / plan.perSecond).catch(() => {
        statuses.failed = (statuses.failed ?? 0) + 1
      })
      pending.add(one)
      void one.finally(() => pending.delete(one))
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
  await Promise.all(pending)
  const seconds = (performance.now() - started) / 1000
  await pool.close()
  latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    statuses,
    perSecond: latencies.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: latencies.at(-1) ?? 0,
  }
}

process.once('message', (plan: PacedPlan) => {
  void run(plan).then((result) => process.send?.(result, () => process.disconnect()))
})
