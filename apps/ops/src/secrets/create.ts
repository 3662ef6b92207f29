import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OpsProblem, type Terminal } from '../terminal.ts'

export interface CreateOptions {
  /** Folders in which whatever user the container of a store has may write. */
  writable?: string[]
}

const key = () => randomBytes(32).toString('base64url')

/** What processes of the platform read through their `_FILE` variables: a file each, and how its content is made. */
const secrets = {
  'internal-api-key': key,
  'secrets-master-keys': () => `k1:${randomBytes(32).toString('base64')}`,
  'session-cookies-sign-secret': key,
  'database-password': key,
  'cache-password': key,
  'broker-password': key,
} as const

type Secret = keyof typeof secrets

/**
 * What others read: each store of the password that the platform knows, and functions, which run what strangers wrote
 * and therefore see no other secret. They must never differ from those above.
 */
const readerFiles: Record<string, (given: (name: Secret) => string) => string> = {
  'functions/internal-api-key': (given) => given('internal-api-key'),
  'postgres/password': (given) => given('database-password'),
  'valkey/valkey.conf': (given) => `requirepass ${JSON.stringify(given('cache-password'))}\n`,
  'nats/nats.conf': (given) =>
    [
      'port: 4222',
      '# For the health check, which comes from the same container.',
      'http: "127.0.0.1:8222"',
      'jetstream { store_dir: "/data" }',
      `authorization { user: platform, password: ${JSON.stringify(given('broker-password'))} }`,
      '',
    ].join('\n'),
}

/**
 * `ops secrets create <directory>`: the secrets of a deployment, in `platform/`, and what its stores and functions read
 * of them, in a folder for each. A file that is there stays as it is. Every folder is meant to be a volume of its own:
 * who mounts one may read it, whatever their user.
 */
export async function createSecrets(
  terminal: Terminal,
  directory: string,
  { writable = [] }: CreateOptions,
): Promise<number> {
  const made: string[] = []
  const keep = (file: string, content: () => string): string => {
    const path = join(directory, file)
    const { value, isNew } = attempt(path, () => readOrWrite(path, content))
    if (isNew) made.push(file)
    return value
  }
  const values = new Map(
    Object.entries(secrets).map(([name, make]) => [
      name,
      keep(`platform/${name}`, make).replace(/\r?\n$/, ''),
    ]),
  )
  for (const [file, contentOf] of Object.entries(readerFiles))
    keep(file, () => contentOf((name) => values.get(name) ?? ''))
  for (const folder of writable) attempt(folder, () => makeWritable(folder))
  terminal.print(
    made.length === 0
      ? `The secrets in ${directory} are kept as they are.`
      : `Made in ${directory}: ${made.join(', ')}. Keep a copy of platform/secrets-master-keys: without it ` +
          'encrypted data is lost.',
  )
  return 0
}

/** Two that start at once never make two contents; one that is killed leaves no half: only a whole file is named. */
function readOrWrite(path: string, content: () => string): { value: string; isNew: boolean } {
  mkdirSync(dirname(path), { recursive: true })
  if (existsSync(path)) return { value: readFileSync(path, 'utf8'), isNew: false }
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const value = content()
    writeFileSync(draft, value, { flush: true })
    // Whatever the umask says: the folder decides who reaches it.
    chmodSync(draft, 0o444)
    linkSync(draft, path)
    return { value, isNew: true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return { value: readFileSync(path, 'utf8'), isNew: false }
  } finally {
    rmSync(draft, { force: true })
  }
}

function makeWritable(folder: string): void {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o777)
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw new OpsProblem(`${path} can't be made: the disk is full.`)
    throw new OpsProblem(`${path} can't be made or read (${code}): let this user own its folder.`)
  }
}
