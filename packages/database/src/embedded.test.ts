import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { end, indexFile, refusalOf, startElsewhere } from '../test/start-elsewhere.ts'
import { processesIn } from './embedded/processes.ts'
import { EmbeddedStartError, openDatabase, sql, startEmbedded } from './index.ts'

const isRoot = process.getuid?.() === 0

describe('the embedded PostgreSQL', () => {
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'embedded with space-'))
    await chmod(home, 0o755)
  })
  afterAll(() => rm(home, { recursive: true, force: true }))

  it('starts in a fresh directory, and again on the same port with the same data and durable settings', async () => {
    const directory = join(home, 'fresh/deep')
    const firstAt = performance.now()
    const first = await startEmbedded(directory)
    const firstMs = performance.now() - firstAt
    const database = await openDatabase(first.url)
    await database.many(sql`create table kept as select 1 as n`)
    await database[Symbol.asyncDispose]()
    await first.stop()
    const secondAt = performance.now()
    const second = await startEmbedded(directory)
    const secondMs = performance.now() - secondAt
    const again = await openDatabase(second.url)
    expect(await again.many(sql`select n from kept`)).toEqual([{ n: 1 }])
    expect(await again.many(sql`show fsync`)).toEqual([{ fsync: 'on' }])
    expect(second.port).toBe(first.port)
    await again[Symbol.asyncDispose]()
    await second.stop()
    console.info(`first start ${Math.round(firstMs)} ms, warm start ${Math.round(secondMs)} ms`)
    expect((await stat(join(directory, 'password'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(directory, 'pgdata'))).mode & 0o777).toBe(0o700)
  })

  it('refuses connections without the password', async () => {
    const server = await startEmbedded(join(home, 'closed'), { fsync: false })
    const url = new URL(server.url)
    url.password = 'guessed'
    await using database = await openDatabase(url.href)
    await expect(database.many(sql`select 1`)).rejects.toMatchObject({ code: '28P01', unavailable: true })
    await server.stop()
  })

  it('is reached by a socket beside its data, with the password, and leaves none behind', async () => {
    const directory = join(home, 'socket, "quoted"')
    const server = await startEmbedded(directory, { fsync: false })
    const sockets = async () => (await readdir(server.directory)).filter((name) => name.startsWith('.s.'))
    expect(await sockets()).toContain(`.s.PGSQL.${server.port}`)
    const askWith = async (url: string) => {
      await using database = await openDatabase(url, { allowWeakDurability: true })
      return await database.many(sql`select inet_server_port() as port`)
    }
    expect(await askWith(server.localUrl)).toEqual([{ port: null }])
    expect(await askWith(server.url)).toEqual([{ port: server.port }])
    const guessed = new URL(server.localUrl)
    guessed.password = 'guessed'
    await expect(askWith(guessed.href)).rejects.toMatchObject({ code: '28P01' })
    await server.stop()
    expect(await sockets()).toEqual([])
  })

  it('starts behind the socket of a server that was killed, whose process id another program has', async () => {
    const directory = join(home, 'left socket')
    const first = await startEmbedded(directory, { fsync: false })
    const { port } = first
    await first.stop()
    await writeFile(join(first.directory, `.s.PGSQL.${port}`), '')
    await writeFile(join(first.directory, `.s.PGSQL.${port}.lock`), `${process.pid}\n`)
    const second = await startEmbedded(directory, { fsync: false })
    expect(second.localUrl).toContain('?host=')
    await second.stop()
  })

  it('is reached over TCP alone where no socket can be, or its path would be too long', async () => {
    const directory = join(home, 'no socket')
    const first = await startEmbedded(directory, { fsync: false })
    await first.stop()
    await mkdir(join(first.directory, `.s.PGSQL.${first.port}`))
    for (const place of [directory, join(home, 'x'.repeat(100))]) {
      const server = await startEmbedded(place, { fsync: false })
      await using database = await openDatabase(server.localUrl, { allowWeakDurability: true })
      expect(await database.many(sql`select inet_server_port() as port`)).toEqual([{ port: server.port }])
      await server.stop()
    }
  })

  it('is opened and stopped by an embedded: URL', async () => {
    const directory = join(home, 'by url')
    const database = await openDatabase(`embedded:${directory}`)
    expect(await database.many(sql`select 1 as n`)).toEqual([{ n: 1 }])
    await database[Symbol.asyncDispose]()
    expect(processesIn(join(directory, 'pgdata'))).toEqual([])
    expect(existsSync(join(directory, 'lock'))).toBe(false)
  })

  it('takes another port when the one of the last start is taken', async () => {
    const directory = join(home, 'port')
    const first = await startEmbedded(directory, { fsync: false })
    await first.stop()
    const squatter = createServer().listen(first.port, '127.0.0.1')
    await once(squatter, 'listening')
    const second = await startEmbedded(directory, { fsync: false })
    expect(second.port).not.toBe(first.port)
    expect(await readFile(join(directory, 'port'), 'utf8')).toBe(`${second.port}\n`)
    await second.stop()
    squatter.close()
  })

  it('refuses data of another PostgreSQL major', async () => {
    const directory = join(home, 'older')
    const server = await startEmbedded(directory, { fsync: false })
    await server.stop()
    await writeFile(join(directory, 'pgdata/PG_VERSION'), '16\n')
    const refusal = await refusalOf(directory)
    expect(refusal).toBeInstanceOf(EmbeddedStartError)
    expect(refusal.message).toContain('was made by PostgreSQL 16, but this program brings 18')
    expect(existsSync(join(directory, 'lock'))).toBe(false)
  })

  it('says on which platform it does not run, and what to do there', async () => {
    const { arch } = process
    Object.defineProperty(process, 'arch', { value: 'sparc' })
    const refusal = await refusalOf(join(home, 'sparc')).finally(() =>
      Object.defineProperty(process, 'arch', { value: arch }),
    )
    expect(refusal).toBeInstanceOf(EmbeddedStartError)
    expect(refusal.message).toMatch(/^No PostgreSQL is installed for linux-sparc .*; set DATABASE_URL/)
  })

  it('says in a sentence what is wrong with a directory it can not use', async () => {
    await writeFile(join(home, 'file'), '')
    for (const directory of [join(home, 'file'), join(home, 'file/below'), '/proc/nowhere']) {
      const refusal = await refusalOf(directory)
      expect(refusal).toBeInstanceOf(EmbeddedStartError)
      expect(refusal.message).toMatch(
        /^The data directory .*; choose another one\.$|^The data directory .* can't/,
      )
    }
  })

  it.runIf(isRoot)('works for a normal user, who keeps the data where it was asked for', async () => {
    const directory = join(home, 'normal')
    await mkdir(directory)
    await chown(directory, 65_534, 65_534)
    const { child } = await startElsewhere(directory, { uid: 65_534, gid: 65_534 })
    expect(existsSync(join(directory, 'pgdata/PG_VERSION'))).toBe(true)
    expect(await end(child, 'SIGTERM')).toBe(0)
    const refusal = await new Promise<string>((resolve) => {
      const closed = join(home, 'closed-to-nobody')
      const program = `import { startEmbedded } from ${JSON.stringify(indexFile)}
        await startEmbedded(process.argv[1]).catch((error) => process.stdout.write(error.name + ' ' + error.message))`
      const user = spawn(process.execPath, ['--input-type=module', '-e', program, closed], {
        uid: 65_534,
        gid: 65_534,
      })
      user.stdout.on('data', (chunk: Buffer) => resolve(chunk.toString()))
    })
    expect(refusal).toMatch(/^EmbeddedStartError The data directory .* is not writable;/)
  })

  it.runIf(isRoot)(
    'as root keeps data elsewhere when the user that runs PostgreSQL can not enter, and says so',
    async () => {
      const closed = join(home, 'roots home')
      await mkdir(closed, { mode: 0o700 })
      const told: string[] = []
      const server = await startEmbedded(join(closed, 'data'), {
        fsync: false,
        log: (message) => told.push(message),
      })
      expect(server.directory).toMatch(/^\/var\/lib\/platform\/[0-9a-f]{16}$/)
      expect(told.join()).toContain(`its data is kept in ${server.directory}`)
      await server.stop()
      await rm(server.directory, { recursive: true, force: true })
    },
  )
})
