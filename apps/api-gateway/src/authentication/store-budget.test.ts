import { sql } from '@platform/database'
import { STORE_BUDGET_MS } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWithAda, type WithAda } from '../../test/operations.ts'

let all: WithAda
beforeAll(async () => {
  all = await startWithAda()
})
afterAll(() => all[Symbol.asyncDispose]())

const HEADER = 'x-platform-store-budget'

/** Keeps everybody from reading sessions while `work` begins and for `ms` longer. */
async function whileSessionsAreLocked<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let working: Promise<T> | undefined
  await all.gateway.database.transaction(
    async (tx) => {
      await tx.many(sql`lock table gateway.sessions in access exclusive mode`)
      working = work()
      await new Promise((resolve) => setTimeout(resolve, ms))
    },
    { timeoutMs: 10_000 },
  )
  if (working === undefined) throw new Error('The work did not begin.')
  return working
}

describe('the time a request may wait for databases', () => {
  const ask = (headers: Record<string, string>) =>
    fetch(`${all.gateway.url}/v2/workspaces/w1`, { headers: { [HEADER]: '2', ...headers } })

  test('is one for the credential and the service behind: the service is told what is left', async () => {
    const bob = await all.gateway.signIn()
    const answer = await whileSessionsAreLocked(700, () => ask(bob.headers))
    expect(answer.status).toBe(200)
    const left = Number(all.service.seen.at(-1)?.headers[HEADER])
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(STORE_BUDGET_MS - 600)
  })

  test('is not spoken of where the credential was known, whatever a client says', async () => {
    await ask(all.ada.headers)
    await ask(all.ada.headers)
    expect(all.service.seen.at(-1)?.headers).not.toHaveProperty(HEADER)
  })
})
