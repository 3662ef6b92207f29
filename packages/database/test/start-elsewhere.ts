import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startEmbedded } from '../src/embedded.ts'

/** The door of this package, for programs that tests run in a process of their own. */
export const indexFile = fileURLToPath(new URL('../src/index.ts', import.meta.url))

/** A process of its own that starts the server and keeps it, as the platform does. */
export async function startElsewhere(directory: string, account: { uid?: number; gid?: number } = {}) {
  const program = `
    import { openDatabase, sql, startEmbedded } from ${JSON.stringify(indexFile)}
    const server = await startEmbedded(process.argv[1])
    const database = await openDatabase(server.url)
    await database.many(sql\`create table if not exists kept (n int)\`)
    await database.many(sql\`insert into kept values (1)\`)
    setInterval(() => undefined, 1000)
    process.on('SIGTERM', () => database[Symbol.asyncDispose]().then(() => server.stop()).then(() => process.exit(0)))
    process.stdout.write('pid ' + server.pid() + '\\n')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, directory], {
    ...account,
    env: { HOME: directory, PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, postmaster: Number(line.toString().slice('pid '.length)) }
}

/** Sends a signal and waits for the exit code. */
export async function end(child: ChildProcess, name: NodeJS.Signals): Promise<number | null> {
  child.kill(name)
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

/** A server and the watcher beside it: its own processes have sessions of their own. */
export const groupMembers = (postmaster: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && groupOf(pid) === postmaster)

function groupOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[2])
  } catch {
    return undefined
  }
}

/** Why a start is refused. */
export const refusalOf = (directory: string) =>
  startEmbedded(directory).then(
    () => Promise.reject(new Error('It should have refused.')),
    (error: Error) => error,
  )
