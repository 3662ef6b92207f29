import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type Env, readConfig, resolveSecrets } from '@platform/config'
import { type Database, openDatabase, reachEmbedded } from '@platform/database'
import { type Files, filesUrlOf, openFiles } from '@platform/files'
import { type MasterKey, masterKeysField } from '@platform/master-keys'
import { z } from 'zod'
import { environments } from '../config/environments.ts'
import { keptSecrets } from '../platform/find-platform.ts'
import { OpsProblem, type Terminal } from '../terminal.ts'

/** What a platform keeps, as its own processes find it. */
export interface Stores extends AsyncDisposable {
  database: Database
  files: Files | undefined
  masterKeys: readonly MasterKey[]
}

/** Counting the rows of a large table, or asking a busy server, takes its time; nobody waits behind these. */
const PATIENT = { applicationName: 'ops', statementTimeoutMs: 600_000, connectTimeoutMs: 10_000, poolSize: 2 }

/**
 * Opens the stores of the platform that DATABASE_URL and FILES_URL name, or else of the all-in-one whose
 * DATA_DIRECTORY it is: beside it while it runs, alone otherwise. With `isNew` a database that is not there is made.
 */
export async function openStores(terminal: Terminal, { isNew }: { isNew: boolean }): Promise<Stores> {
  const env = resolved(terminal.env)
  const data = env.DATA_DIRECTORY || './.data'
  const stack = new AsyncDisposableStack()
  try {
    const masterKeys = masterKeysOf({ ...keptSecrets(env), ...withoutEmpty(env) }, data)
    const database = stack.use(await openTheDatabase(env, data, isNew, stack))
    const filesUrl = filesUrlOf(env) ?? ownFiles(env, data)
    const files = filesUrl === undefined ? undefined : stack.use(await openFiles(filesUrl))
    const opened = stack.move()
    return { database, files, masterKeys, [Symbol.asyncDispose]: () => opened.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** Opens a database of nobody's, to try a restore in. */
export const openScratch = (url: string, { env }: Terminal): Promise<Database> =>
  openDatabase(url, options(env))

/** Secrets in files and passwords beside URLs are taken as the gateway takes them, which uses every store. */
function resolved(env: Env): Env {
  try {
    return resolveSecrets(environments['api-gateway'], env).env
  } catch (error) {
    throw error instanceof ConfigError ? new OpsProblem(error.message) : error
  }
}

async function openTheDatabase(
  env: Env,
  data: string,
  isNew: boolean,
  stack: AsyncDisposableStack,
): Promise<Database> {
  const { DATABASE_URL: url } = env
  const directory = embeddedDirectory(url, data)
  if (directory === undefined) return await openDatabase(url ?? '', options(env))
  if (isNew) return await openDatabase(`embedded:${directory}`, options(env))
  const server = await reachEmbedded(directory)
  if (server === undefined)
    throw new OpsProblem(`There is no database in ${directory}: set DATA_DIRECTORY or DATABASE_URL.`)
  stack.use(server)
  return await openDatabase(server.url, options(env))
}

function embeddedDirectory(url: string | undefined, data: string): string | undefined {
  if (url === undefined || url === '') return join(data, 'postgres')
  return url.startsWith('embedded:') ? url.slice('embedded:'.length) : undefined
}

/** Tests run on servers that would lose data at a power cut. */
const options = ({ NODE_ENV }: Env) => ({ ...PATIENT, allowWeakDurability: NODE_ENV === 'test' })

/** As the all-in-one has it: beside its database. */
const ownFiles = (env: Env, data: string): string | undefined =>
  embeddedDirectory(env.DATABASE_URL, data) !== undefined || existsSync(join(data, 'files'))
    ? `file:${join(data, 'files')}`
    : undefined

const keysEnv = z.object({ SECRETS_MASTER_KEYS: masterKeysField })

function masterKeysOf(env: Env, data: string): readonly MasterKey[] {
  if (env.SECRETS_MASTER_KEYS === undefined)
    throw new OpsProblem(
      `SECRETS_MASTER_KEYS is not known: set it, or put the secrets.env of the platform into ${data}.`,
    )
  try {
    return readConfig(keysEnv, env).SECRETS_MASTER_KEYS
  } catch (error) {
    throw error instanceof ConfigError ? new OpsProblem(error.message) : error
  }
}

const withoutEmpty = (env: Env): Env => Object.fromEntries(Object.entries(env).filter(([, value]) => value))
