import { fileURLToPath } from 'node:url'
import { createLogger } from '@platform/logging'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Death, ProcessGroup } from './index.ts'

const main = fileURLToPath(new URL('../../test/contained-program.ts', import.meta.url))
/** Half of what a process costs is compiling what the one before has compiled already. */
const { PATH, COMPILED_PROGRAMS: NODE_COMPILE_CACHE } = process.env

let group: ProcessGroup
afterEach(() => group.stop())

/** Starts processes of which the first does this; answers the deaths that come to be known. */
async function startedToDo(wanted: string, others = 0): Promise<Death[]> {
  const deaths: Death[] = []
  const env = { PATH, NODE_COMPILE_CACHE, WANTED: wanted }
  group = new ProcessGroup({
    kind: 'test',
    main,
    places: [env, ...Array.from({ length: others }, () => ({ ...env, WANTED: 'live' }))],
    asideEnv: { ...env, WANTED: 'live' },
    silenceMs: 250,
    heapMegabytes: 64,
    graceMs: 2000,
    log: createLogger({ level: 'silent' }),
    learn: (death) => {
      deaths.push(death)
      return { known: deaths.length }
    },
  })
  await group.start()
  return deaths
}

const died = (deaths: Death[]) => vi.waitFor(() => expect(deaths).toHaveLength(1), { timeout: 10_000 })

describe('a process that dies', () => {
  test.each([
    ['hang', 'silent', /did not come back within 250 ms/],
    ['stop', 'silent', /did not come back/],
    ['abort', 'ended', /SIGABRT/],
    ['heap', 'ended', /SIGABRT|SIGTRAP|ended with/],
    ['throw', 'ended', /ended with 1/],
  ])('by %s is found out, with what it was doing', async (way, cause, seen) => {
    const deaths = await startedToDo(way)
    await died(deaths)
    expect(deaths[0]).toMatchObject({ role: 'serving', marker: `${way} null` })
    expect(deaths[0]?.name).toMatch(/^serving \d+$/)
    if (way !== 'heap') expect(deaths[0]).toMatchObject({ cause, seen: expect.stringMatching(seen) })
  })

  test('is followed by one that knows of it, and stays', async () => {
    const deaths = await startedToDo('abort')
    await died(deaths)
    await vi.waitFor(async () => expect(await group.pages()).toEqual([]), { timeout: 5000 })
    expect(deaths).toHaveLength(1)
  })
})

test('a process that can not start makes the start fail', async () => {
  const env = { PATH, NODE_COMPILE_CACHE }
  group = new ProcessGroup({
    kind: 'test',
    main: '/nowhere/main.ts',
    places: [env],
    asideEnv: env,
    silenceMs: 250,
    heapMegabytes: 64,
    graceMs: 1000,
    log: createLogger({ level: 'silent' }),
    learn: () => undefined,
  })
  await expect(group.start()).rejects.toThrow('A process of the test could not start')
})
