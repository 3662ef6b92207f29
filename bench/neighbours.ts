import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startAllInOne } from '@platform/testing/platform'
import { type Figure, median } from './measure/figure.ts'
import { sendLoad } from './measure/load.ts'
import { workspaceToCall } from './measure/signed-in.ts'

const ROUNDS = 3
const NOISY = 20
/** Events that trigger the automation of each noisy workspace. */
const QUEUED = 200
const MEASURED_MS = 10_000
const CONNECTIONS = 2
/** Between two requests: at what a workspace may call in a second, requests wait for its own limit. */
const REST_MS = 30

/** What strangers write, by what it takes more of than its share. */
const noises = (silentUrl: string): readonly object[][] => [
  [{ repeat: { until: 1e9, do: [{ set: { name: 'n', value: '{% ({{n}} or 0) + 1 %}' } }] } }],
  [
    { set: { name: 'text', value: 'x'.repeat(1000) } },
    { repeat: { until: 40, do: [{ set: { name: 'text', value: '{{text}}{{text}}' } }] } },
  ],
  [
    { set: { name: 'text', value: `${'a'.repeat(50_000)}!` } },
    {
      repeat: {
        until: 1000,
        do: [{ set: { name: 'found', value: '{% {{text}} matches regex("(a+)+$") %}' } }],
      },
    },
  ],
  [{ all: Array.from({ length: 20 }, () => ({ fetch: { url: silentUrl } })) }],
  [
    {
      repeat: { until: 1e6, do: [{ emit: { event: 'more.noise', payload: { text: 'y'.repeat(20_000) } } }] },
    },
  ],
]

/**
 * URL runs of a quiet workspace alone, and beside workspaces that loop, fill memory, search with catastrophic patterns,
 * ask hosts that never answer, and emit without end, all at once, with the limits that an installation has. A p99 is
 * that of some slow moments: each round has a platform of its own, and what counts is the one in the middle.
 */
export async function neighbours(): Promise<Figure[]> {
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measuredRound())
  return [
    {
      name: 'URL run of a quiet workspace, alone: p99',
      value: median(rounds.map(({ aloneMs }) => aloneMs)),
      unit: 'ms',
    },
    {
      name: `URL run beside ${NOISY} noisy workspaces: p99`,
      value: median(rounds.map(({ besideMs }) => besideMs)),
      unit: 'ms',
      against: 'alone',
      ratio: median(rounds.map(({ aloneMs, besideMs }) => besideMs / aloneMs)),
      needed: 2,
    },
  ]
}

/** The p99 of a round. */
interface Round {
  readonly aloneMs: number
  readonly besideMs: number
}

async function measuredRound(): Promise<Round> {
  await using stack = new AsyncDisposableStack()
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  stack.defer(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const platform = stack.use(
    await startAllInOne({
      RUNTIME_PROCESSES: '1',
      RATE_LIMIT_DISABLED: 'false',
      RATE_LIMIT_CREATE_WORKSPACE: '100',
      FETCH_ALLOWED_HOSTS: '127.0.0.0/8',
    }),
  )
  const { workspaceId, authorization, post } = await workspaceToCall(platform)
  const headers = { authorization, 'content-type': 'application/json' }
  const url = `${platform.origin}/v2/workspaces/${workspaceId}/webhooks/greet`
  const measured = async () => {
    const plan = { url, headers, method: 'POST', body: '{"name":"Ada"}', connections: CONNECTIONS } as const
    const result = await sendLoad({ ...plan, durationMs: MEASURED_MS, restMs: REST_MS })
    if (result.failures > 0) throw new Error(`${result.failures} runs of the quiet workspace failed.`)
    return result
  }
  await measured()
  const alone = await measured()
  const kinds = noises(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`)
  for (let n = 0; n < NOISY; n += 1) {
    const { id } = await post('/v2/workspaces', { name: 'Noisy' })
    const noise = {
      slug: 'noise',
      name: 'noise',
      when: { events: ['noise.cause'] },
      do: kinds[n % kinds.length],
    }
    await post(`/v2/workspaces/${id}/automations`, noise)
    const events = Array.from({ length: QUEUED / 2 }, () => ({ type: 'noise.cause', payload: {} }))
    await post(`/v2/workspaces/${id}/events`, { events })
    await post(`/v2/workspaces/${id}/events`, { events })
  }
  const beside = await measured()
  return { aloneMs: alone.p99Ms, besideMs: beside.p99Ms }
}
