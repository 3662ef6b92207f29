import { openDatabase } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { testDatabase } from '@platform/testing'
import { expect, it } from 'vitest'
import { openLog } from './open-log.ts'
import { stripExecuted } from './strip-executed.ts'

const DAY_MS = 86_400_000

it('executions that two processes strip at once are stripped and counted once', async () => {
  await using database = await testDatabase()
  await using another = await openDatabase(database.url, { allowWeakDurability: true })
  await using log = await openLog(database)
  const document = {
    type: 'runtime.automations.executed',
    payload: { slug: 'run', payload: { secret: 'hidden' }, output: ['shown'] },
  }
  const at = Date.now() - 20 * DAY_MS
  const documents = Array.from({ length: 1200 }, () => ({ stream: 'events-a', id: uuidv7(at), document }))
  await log.append(documents)
  const before = new Date(at + DAY_MS)
  const counts = await Promise.all([database, another].map((each) => stripExecuted(each, before, 10_000)))
  expect(counts.reduce((sum, count) => sum + count)).toBe(1200)
  const page = { sort: 'asc', limit: 1 } as const
  expect(await log.find('events-a', { ...page, filter: { text: 'hidden' } })).toEqual([])
  const [stripped] = await log.find('events-a', { ...page, filter: { text: 'run' } })
  expect(stripped).toEqual({ ...document, payload: { slug: 'run' } })
})
