import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { createAccessToken } from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import { bearer, inSeconds } from '@platform/identity/testing'
import { systemClock } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { expect, test, vi } from 'vitest'
import { startGateway } from '../test/start-gateway.ts'
import { Opened } from './opened.ts'
import { apiGateway } from './service.ts'

const log = createLogger({ level: 'silent' })

/** Parts that write down when closing them begins and ends. */
function notedParts() {
  const steps: string[] = []
  const part = (name: string): AsyncDisposable => ({
    async [Symbol.asyncDispose]() {
      steps.push(`${name} begins`)
      await turn()
      steps.push(`${name} ends`)
    },
  })
  return { steps, part }
}

test('what was opened is closed in reverse order, each awaited, and one that fails keeps none open', async () => {
  const { steps, part } = notedParts()
  const warn = vi.fn()
  const opened = new Opened({ warn })
  opened.use(part('first'))
  opened.use({ [Symbol.asyncDispose]: () => Promise.reject(new Error('stuck')) })
  opened.use({ [Symbol.dispose]: () => steps.push('plain') })
  opened.use(part('last'))
  await opened.handOver()()
  expect(steps).toEqual(['last begins', 'last ends', 'plain', 'first begins', 'first ends'])
  expect(warn).toHaveBeenCalledOnce()
})

test('what was opened for a start that failed is closed, what was handed over is not', async () => {
  const { steps, part } = notedParts()
  const start = async (fails: boolean) => {
    await using opened = new Opened(log)
    opened.use(part(fails ? 'failed' : 'kept'))
    if (fails) throw new Error('no start')
    return opened.handOver()
  }
  await expect(start(true)).rejects.toThrow('no start')
  await start(false)
  expect(steps).toEqual(['failed begins', 'failed ends'])
})

test('a gateway that is closed has written what was used last', async () => {
  await using gateway = await startGateway()
  const { env, resources, database } = gateway
  const ada = await gateway.signIn()
  const { token } = await gateway.client(ada.headers)(createAccessToken, {
    body: { name: 'ci', expiresAt: inSeconds(3600) },
  })
  const context = { log, clock: systemClock, version: '0.0.0-test', development: true }
  const parts = await apiGateway.build(env, resources, context)
  for (const job of parts.jobs ?? [])
    if (job.requiredAtStart === true) await job.run(AbortSignal.timeout(5000))
  const server = createServer(parts.front?.((_, response) => response.end()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect((await fetch(`http://127.0.0.1:${port}/v2/me`, { headers: bearer(token) })).status).toBe(200)
  server.close()
  server.closeAllConnections()
  await parts.closing?.()
  expect(await usesOf(database)).toBe(1)
})

async function usesOf(database: Database): Promise<number> {
  const [row] = await database.many<{ used: number }>(
    sql`select count(last_used_at)::int as used from gateway.access_tokens`,
  )
  return row?.used ?? -1
}
