import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openDatabase, raw } from '@platform/database'
import { testDatabaseUrl } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const NODE_COMPILE_CACHE = process.env.COMPILED_PROGRAMS

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'migrations-'))
  await writeFile(join(directory, '0001_create_things.sql'), 'create table tiny.things (n int);')
  await writeFile(join(directory, '0002_fill.sql'), 'insert into tiny.things values (1);')
})
afterAll(() => rm(directory, { recursive: true }))

/** A process that runs two services on the schema `tiny`, with these arguments. */
function start(args: readonly string[], env: Record<string, string>) {
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
  const script = `
    const { run } = await import(${module('./index.ts')})
    const { tinyService } = await import(${module('../test/testing.ts')})
    const migrations = [{ schema: 'tiny', directory: new URL(${JSON.stringify(pathToFileURL(`${directory}/`).href)}) }]
    const address = () => { throw new Error('No address is needed to migrate.') }
    const service = { ...tinyService().service, migrations, address }
    await run([service, { ...service, name: 'runtime' }], process.env, { arguments: ${JSON.stringify(args)} })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: process.env.PATH, NODE_ENV: 'test', NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    output.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.err += chunk
  })
  const exited = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }))
  return { child, output, exited, [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

const linesOf = (out: string) =>
  out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('a process that is asked to migrate', () => {
  test('does so with nothing but the address of the database, says what it did and ends with 0', async () => {
    const env = { DATABASE_URL: await testDatabaseUrl() }
    using first = start(['migrate'], env)
    const { code, out, err } = await first.exited
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const ran = ['0001_create_things', '0002_fill']
    expect(linesOf(out)).toMatchObject([{ level: 'info', schema: 'tiny', ran, msg: 'schema migrated' }])
    await using database = await openDatabase(env.DATABASE_URL, { allowWeakDurability: true })
    expect(await database.many(raw('select n from tiny.things'))).toEqual([{ n: 1 }])
    const file = join(directory, 'database-url')
    await writeFile(file, `${env.DATABASE_URL}\n`)
    using second = start(['migrate'], { DATABASE_URL_FILE: file })
    expect(linesOf((await second.exited).out)).toMatchObject([{ ran: [], msg: 'schema is up to date' }])
  })

  test('several at once run each file once', async () => {
    const env = { DATABASE_URL: await testDatabaseUrl() }
    const started = [start(['migrate'], env), start(['migrate'], env), start(['migrate'], env)]
    const ended = await Promise.all(started.map(({ exited }) => exited))
    expect(ended.map(({ code, err }) => ({ code, err }))).toEqual(Array(3).fill({ code: 0, err: '' }))
    const ran = ended.flatMap(({ out }) =>
      linesOf(out).flatMap((line) => (line.ran as string[] | undefined) ?? []),
    )
    expect(ran).toEqual(['0001_create_things', '0002_fill'])
  })

  test('names the variable it lacks, and no other', async () => {
    using process = start(['migrate'], {})
    const { code, err } = await process.exited
    expect({ code, err }).toEqual({
      code: 1,
      err: 'The configuration has problems:\n  DATABASE_URL is required.\n',
    })
  })

  test('waits for a database that is down, and says so; asked to stop, it ends with 1 and says why', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as { port: number }
    closed.close()
    using process = start(['migrate'], { DATABASE_URL: `postgres://ada@127.0.0.1:${port}/ada` })
    await vi.waitFor(
      () => expect(process.output.out).toContain('a store does not answer, it is waited for'),
      {
        timeout: 10_000,
      },
    )
    process.child.kill('SIGTERM')
    const { code, err } = await process.exited
    expect(code).toBe(1)
    expect(err).toBe(
      'Stopped before every schema was up to date: "migrate" goes on there when it is run again.\n',
    )
  })
})

test.each([[['migrates']], [['migrate', 'events']], [['--help']]])(
  'the arguments %j are refused with a sentence',
  async (args) => {
    using process = start(args, { DATABASE_URL: 'postgres://ada@127.0.0.1:1/ada' })
    const { code, out, err } = await process.exited
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      new RegExp(`^The argument "${args.join(' ')}" is not known: "migrate" brings [^\\n]*\\.\\n$`),
    )
  },
)
