import { setTimeout as pause } from 'node:timers/promises'
import { type Platform, type PlatformProcess, spawnPlatform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { administrator, newWorkspace, saveAutomation } from '../support/caller.ts'
import { type NameServer, startNameServer } from '../support/name-server.ts'
import { separateShape } from '../support/shapes.ts'
import { clientOf, SteadyLoad } from '../support/steady-load.ts'

const RATE = Number(process.env.SCALE_RATE ?? '100')
const STOP_MS = 40_000
/** How long each number of instances serves. */
const SERVE_MS = 5000
const kinds = ['workspaces', 'runtime', 'events'] as const
/** Of the same machine, and yet several hosts: each instance listens at the same port of another address. */
const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3']

const nameOf = (kind: string) => `${kind}.scale.test`

describe.runIf(separateShape !== undefined)('services behind a name', () => {
  const ports = new Map<string, number>()
  let platform: Platform
  let names: NameServer
  const added: PlatformProcess[] = []
  beforeAll(async () => {
    if (separateShape === undefined) return
    names = await startNameServer()
    for (const kind of kinds) names.set(nameOf(kind), addresses.slice(0, 1))
    const production = { NODE_ENV: 'production', ACCOUNT_VALIDATION_METHOD: 'manual' }
    platform = await separateShape.start(
      // Load is not shed: this machine may be busy with other things, and instances that come are what is tested.
      { ...production, GATEWAY_MAX_LAG_MS: '10000', ...names.env },
      {
        counts: { gateway: 1, runtime: 1 },
        through: async (kind, port) => {
          ports.set(kind, port)
          return `http://${nameOf(kind)}:${port}`
        },
      },
    )
  })
  afterAll(async () => {
    await Promise.all(added.map((one) => one.stop()))
    await platform?.[Symbol.asyncDispose]()
    await names?.[Symbol.asyncDispose]()
  })

  /** One more of a kind; its address is in the name before it listens, as Docker has it. */
  function start(kind: string, which: number): PlatformProcess {
    const env = { ...platform.env, HOST: addresses[which] ?? '', PORT: String(ports.get(kind)) }
    names.set(nameOf(kind), addresses.slice(0, which + 1))
    const one = spawnPlatform(`${kind}-${which + 1}`, `dist/${kind}/main.js`, env)
    added.push(one)
    return one
  }

  test(`from one instance of each to three and back fails no request, at ${RATE} a second`, {
    timeout: 300_000,
  }, async () => {
    const { token } = await administrator(platform)
    const workspaceId = await newWorkspace(platform.origin, token)
    const answer = { slug: 'answer', name: 'answer', when: { endpoint: true }, do: [], output: 'here' }
    await saveAutomation(platform.origin, token, workspaceId, answer)
    const base = `/v2/workspaces/${workspaceId}`
    const emitted = JSON.stringify({ events: [{ type: 'scale.event', payload: {} }] })
    const asks = [
      { method: 'POST', path: `${base}/webhooks/answer`, token, body: '{}' },
      { method: 'GET', path: base, token },
      { method: 'POST', path: `${base}/events`, token, body: emitted },
    ] as const
    const load = new SteadyLoad(RATE, [clientOf('direct', platform.origin)], (n) => asks[n % 3] ?? asks[0])
    const codes: (number | null)[] = []
    try {
      await pause(SERVE_MS)
      for (const kind of kinds) {
        const two = [start(kind, 1), start(kind, 2)]
        await Promise.all(two.map((one) => one.printed(/service is ready/)))
      }
      await pause(SERVE_MS)
      for (const kind of kinds) {
        names.set(nameOf(kind), addresses.slice(0, 1))
        const two = added.filter(({ name }) => name.startsWith(kind))
        codes.push(...(await Promise.all(two.map((one) => one.stop('SIGTERM', STOP_MS)))))
      }
      await pause(SERVE_MS)
    } finally {
      await load.stop()
    }

    console.log(
      `${added.length} instances came and went, ${load.served} requests served, ${load.misses.length} not`,
    )
    expect(load.misses.slice(0, 40)).toEqual([])
    expect(codes).toEqual(Array(added.length).fill(0))
    const served = platform.process('gateway').output()
    for (const kind of kinds)
      for (const address of addresses)
        expect(served).toContain(`"upstream":"http://${address}:${ports.get(kind)}"`)
  })
})
