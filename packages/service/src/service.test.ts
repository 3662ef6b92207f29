import { describe, expect, test } from 'vitest'
import { joinParts } from './service.ts'

describe('joined parts', () => {
  test('bring what each of them brings, and nothing where none does', () => {
    const job = { name: 'a', everyMs: 1, run: async () => undefined }
    const joined = joinParts({ jobs: [job] }, {}, { jobs: [job, job] })
    expect(joined).toMatchObject({ routes: [], subscriptions: [], checks: [], mounts: [] })
    expect(joined.jobs).toEqual([job, job, job])
  })

  test('are closed one after the other, the last first, and all of them when one fails', async () => {
    const said: string[] = []
    const part = (name: string, fails = false) => ({
      closing: async () => {
        said.push(`${name} begins`)
        await Promise.resolve()
        said.push(`${name} ends`)
        if (fails) throw new Error(`${name} is stuck`)
      },
    })
    await expect(joinParts(part('a'), part('b', true), {}, part('c')).closing()).rejects.toThrow('b is stuck')
    expect(said).toEqual(['c begins', 'c ends', 'b begins', 'b ends', 'a begins', 'a ends'])
    await expect(joinParts(part('a', true), part('b', true)).closing()).rejects.toThrow(AggregateError)
    await expect(joinParts({}).closing()).resolves.toBeUndefined()
  })
})
