import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, raw } from '@platform/database'
import { type Platform, processTree } from '@platform/testing/platform'
import { commandOf } from './processes.ts'

/** Secrets a test has seen, by what they are. */
export class Canaries {
  readonly #secrets = new Map<string, string>()

  /** Keeps a secret and answers it. Short ones would be found by chance. */
  keep(what: string, secret: unknown): string {
    if (typeof secret !== 'string' || secret.length < 10)
      throw new Error(`${what} is no secret: ${String(secret)}`)
    this.#secrets.set(what, secret)
    return secret
  }

  get count(): number {
    return this.#secrets.size
  }

  /** What of them stands in a text, as sentences. */
  foundIn(place: string, text: Buffer | string): string[] {
    return [...this.#secrets]
      .filter(([, secret]) => text.includes(secret))
      .map(([what]) => `${what} is in ${place}`)
  }
}

const privateMember = /"d"\s*:\s*"[A-Za-z0-9_-]{20,}|BEGIN [A-Z ]*PRIVATE KEY/

/**
 * Everything a platform has written: its output, its files, its tables. Answers sentences about what should not be
 * there. `control` is no secret and must be found, or nothing was looked at.
 */
export async function leaksOf(platform: Platform, canaries: Canaries, control: string): Promise<string[]> {
  const found: string[] = []
  let controlSeen = false
  const look = (place: string, text: Buffer | string) => {
    controlSeen ||= text.includes(control)
    found.push(...canaries.foundIn(place, text))
    if (privateMember.test(text.toString('latin1' as never))) found.push(`a private key is in ${place}`)
  }
  for (const { name, output } of platform.processes) look(`the output of ${name}`, output())
  const { DATA_DIRECTORY: directory, DATABASE_URL: databaseUrl } = platform.env
  const directories = [directory, ...databaseDirectories(platform)].filter((one) => one !== undefined)
  for (const one of directories) for (const file of filesUnder(one)) look(file, readFileSync(file))
  if (databaseUrl !== undefined)
    for (const [table, text] of await tablesOf(databaseUrl)) look(`table ${table}`, text)
  return controlSeen ? found : [...found, `${control} was found nowhere: the search does not work`]
}

/** Mails of development hold links by intent; the secrets of the installation are a file of their own. */
const meantToHoldSecrets = /\/(mail|secrets\.env)(\/|$)/

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((file) => !meantToHoldSecrets.test(file.slice(directory.length)))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
}

/** Where the embedded PostgreSQL keeps its data: as root that is not below the data directory of the platform. */
const databaseDirectories = (platform: Platform): string[] =>
  processTree(...platform.processes.map(({ pid }) => pid)).flatMap(
    (pid) => /postgres -D (\S+)/.exec(commandOf(pid))?.[1] ?? [],
  )

/** Every table as text, row by row. */
async function tablesOf(databaseUrl: string): Promise<[string, string][]> {
  await using database = await openDatabase(databaseUrl, { poolSize: 1 })
  const tables = await database.many<{ name: string }>(
    raw(`select format('%I.%I', schemaname, tablename) as name from pg_tables
         where schemaname not in ('pg_catalog', 'information_schema')`),
  )
  const dumped: [string, string][] = []
  for (const { name } of tables) {
    const rows = await database.many<{ row: string }>(raw(`select t::text as row from ${name} t`), {
      timeoutMs: 20_000,
    })
    dumped.push([name, rows.map(({ row }) => row).join('\n')])
  }
  return dumped
}
