import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { call, feed } from '../support/caller.ts'
import { FaultLoad, type Observed, send } from '../support/fault-load.ts'
import {
  dependencies,
  type FaultName,
  FaultPlatform,
  faults,
  GATEWAY_TIMEOUT_S,
  prepareLoad,
} from '../support/fault-platform.ts'
import { type Row, rowOf } from '../support/fault-rows.ts'
import { servers } from '../support/shapes.ts'

/** How long a fault lasts: longer than the deadline, so that answers at the deadline are seen. */
const FAULT_MS = 3500
/**
 * The deadline and 200 ms. Needed and unavailable is 503 within 3 s; a service that is silent is 504 at
 * its time-out.
 */
const LATEST_MS = GATEWAY_TIMEOUT_S * 1000 + 200
const RECOVERY_MS = 5000
/** What a busy machine may add at most. */
const MACHINE_MS = 1000

const told = ({ kind, status, ms, error }: Observed) =>
  `${kind} ${status} ${error ?? ''} ${Math.round(ms)} ms`

/** I4, I6, I7: no 401, nothing late, only what the row allows; every refusal is JSON with Retry-After. */
function expectContract(load: FaultLoad, { refused }: Row, readinessMs: readonly number[]): void {
  const { observed } = load
  // `GET /` touches nothing: what it takes is the machine, on which whatever is under way meanwhile is as late.
  const latestMs = (from?: number, to?: number) =>
    LATEST_MS + Math.min(MACHINE_MS, load.slowestMs('root', from, to))
  expect(load.slowestMs('root')).toBeLessThan(LATEST_MS)
  expect(readinessMs.filter((ms) => ms > latestMs())).toEqual([])
  expect(observed.length).toBeGreaterThan(0)
  const wrong = observed.filter(({ kind, status, startedAt, ms, retryAfter, error }) => {
    if (ms > latestMs(startedAt, startedAt + ms)) return true
    if (status === 200) return false
    if (refused[kind]?.includes(status) !== true || error === undefined) return true
    return status === 503 && !/^\d+$/.test(retryAfter ?? '')
  })
  expect(wrong.map(told)).toEqual([])
}

const cells = dependencies.flatMap((dependency) => faults.map((fault) => ({ dependency, fault })))

describe.runIf(servers !== undefined)('the fault matrix', () => {
  let under: FaultPlatform
  let prepared: Awaited<ReturnType<typeof prepareLoad>>
  beforeAll(async () => {
    under = await FaultPlatform.start()
    prepared = await prepareLoad(under.platform)
  })
  afterAll(() => under?.[Symbol.asyncDispose]())

  const roundOf = (eventType: string): Promise<Observed[]> =>
    Promise.all(
      prepared
        .kinds(eventType)
        .map((kind) => send(undefined, under.platform.origin, prepared.token, kind, 0)),
    )

  /** I8: how long until a round of every kind is served. */
  async function recovered(since: number): Promise<number> {
    await vi.waitFor(
      async () => {
        const round = await roundOf('matrix.recovery')
        expect(round.filter(({ status }) => status !== 200).map(told)).toEqual([])
      },
      { timeout: 15_000, interval: 100 },
    )
    return performance.now() - since
  }

  async function readinessOf(headers: Record<string, string>) {
    const startedAt = performance.now()
    const { status, json } = await call(under.platform.origin, 'GET', '/v2/readiness', { headers })
    return { status, report: json, ms: performance.now() - startedAt }
  }

  /** Answers how long each report took. */
  async function expectReport({ report, errors }: Row, fault: FaultName): Promise<number[]> {
    const [service, module] = report
    const key = { 'x-platform-api-key': under.platform.internalApiKey }
    const found = await readinessOf(key)
    expect(found.status, JSON.stringify(found)).toBe(400)
    const named = found.report.services[service]?.errors ?? []
    expect(named).toContainEqual(
      expect.objectContaining({
        module,
        error: expect.stringMatching(new RegExp(`^(${errors.join('|')})$`)),
      }),
    )
    // A super administrator seen valid within 10 minutes is let in too; a gateway that never saw one asks for the key.
    if (fault === 'down at start') return [found.ms]
    const administrator = await readinessOf({ authorization: `Bearer ${prepared.jwt}` })
    expect(administrator.status).toBe(400)
    return [found.ms, administrator.ms]
  }

  /** Every module of every service is ready, so that the next report tells of the next fault only. */
  const ready = () =>
    vi.waitFor(
      async () => {
        const { status, report } = await readinessOf({ authorization: `Bearer ${prepared.jwt}` })
        expect(status, JSON.stringify(report)).toBe(200)
      },
      { timeout: 10_000, interval: 200 },
    )

  test.each(cells)('$dependency $fault', async ({ dependency, fault }) => {
    const row = rowOf(dependency, fault)
    const eventType = `matrix.${dependency}.${fault}`.replaceAll(' ', '-').toLowerCase()
    await recovered(performance.now())
    await ready()
    const load = new FaultLoad(under.platform.origin, prepared.token, prepared.kinds(eventType))
    let isBroken = true
    try {
      // No gateway is there while it is started again: nobody can be asked anything.
      if (fault !== 'down at start') load.start()
      await under.break(dependency, fault)
      load.start()
      const brokenAt = performance.now()
      const lasting = new Promise((resolve) => setTimeout(resolve, FAULT_MS))
      const readinessMs = await expectReport(row, fault)
      await lasting
      const mendingAt = performance.now()
      isBroken = false
      await under.mend(dependency, fault)
      const recoveryMs = await recovered(performance.now())
      await load.stop()

      expectContract(load, row, readinessMs)
      for (const kind of row.seen) {
        const during = load.between(brokenAt, mendingAt).filter((one) => one.kind === kind)
        expect(during.filter(({ status }) => status !== 200).length, `${kind} noticed nothing`).not.toBe(0)
      }
      expect(recoveryMs).toBeLessThan(RECOVERY_MS)
      await expectAccepted(load.observed, eventType)
    } finally {
      await load.stop()
      if (isBroken) await under.mend(dependency, fault)
    }
  })

  /** I1: what was accepted is there, once. */
  async function expectAccepted(observed: readonly Observed[], eventType: string): Promise<void> {
    const accepted = observed
      .filter(({ kind, status }) => kind === 'emit' && status === 200)
      .map(({ n }) => n)
    await vi.waitFor(
      async () => {
        const events = await feed(
          under.platform.origin,
          prepared.token,
          prepared.workspaceId,
          `types=${eventType}`,
        )
        const found = events.map(({ payload }) => payload.n)
        expect(accepted.filter((n) => !found.includes(n))).toEqual([])
        expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
      },
      { timeout: 10_000, interval: 200 },
    )
  }
})
