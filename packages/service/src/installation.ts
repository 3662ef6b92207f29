import { readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ANOTHER_INSTALLATION } from '@platform/broker'
import { type Env, readConfig } from '@platform/config'
import { type Installation, installationOf } from '@platform/database'
import { StoreError } from '@platform/kernel'
import { z } from 'zod'
import type { Resources } from './resources.ts'

/** How a process knows its database again. */
export const installationFields = {
  INSTALLATION_ID: z
    .uuid()
    .optional()
    .describe(
      'The database that is meant, by the id that a refusal tells, where it is empty or another one than before.',
    ),
  INSTALLATION_FILE: z
    .string()
    .optional()
    .describe('File that remembers which database this platform uses; all in one has it in DATA_DIRECTORY.'),
}

const installationEnv = z.object(installationFields)

/** The database is not the one that this platform has used; nothing was changed in it. */
class AnotherDatabase extends Error {
  override readonly name = 'AnotherDatabase'
}

const ANOTHER: typeof ANOTHER_INSTALLATION = 'ANOTHER_INSTALLATION'
/** A broker that does not answer keeps nobody from starting: it is asked again whenever it is used. */
const BROKER_MS = 2000

/**
 * Sees to it that the database is the one this platform has lived in, as a file or the broker remembers it: an empty
 * one in its place, or that of another platform, would take new data while nobody misses the old. Where nothing is
 * remembered, it is from now on. Throws AnotherDatabase, or what a store that is down throws.
 */
export async function requireInstallation(env: Env, resources: Resources): Promise<void> {
  const { DATABASE_URL: databaseUrl = '', BROKER_URL: brokerUrl = '' } = env
  if (databaseUrl === '') return
  const { INSTALLATION_ID: meant, INSTALLATION_FILE: file } = readConfig(installationEnv, env)
  const found = await installationOf(await resources.database(databaseUrl))
  if (meant !== undefined && meant !== found.id)
    throw new AnotherDatabase(
      `INSTALLATION_ID says that the database ${meant} is meant, and DATABASE_URL leads to ${found.id}: ` +
        'correct one of the two.',
    )
  if (file !== undefined) await requireRemembered(file, found, meant)
  resources.installation = { id: found.id, isMeant: meant !== undefined }
  if (/^(nats|tls):/.test(brokerUrl)) await requireKnownToBroker(resources, { databaseUrl, brokerUrl }, found)
}

async function requireRemembered(
  file: string,
  found: Installation,
  meant: string | undefined,
): Promise<void> {
  const remembered = contentOf(file)
  if (remembered === found.id) return
  if (remembered !== undefined && meant === undefined) throw another(found, remembered, file)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.new`, `${found.id}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

async function requireKnownToBroker(
  resources: Resources,
  { databaseUrl, brokerUrl }: { databaseUrl: string; brokerUrl: string },
  found: Installation,
): Promise<void> {
  const broker = await resources.broker(brokerUrl, databaseUrl)
  const failure = await broker.ping(AbortSignal.timeout(BROKER_MS)).catch((error: unknown) => error)
  if (failure instanceof StoreError && failure.code === ANOTHER) throw another(found, undefined, 'BROKER_URL')
}

function another(
  { id, isEmpty }: Installation,
  before: string | undefined,
  witness: string,
): AnotherDatabase {
  const known = before === undefined ? '' : ` (${before})`
  const what = isEmpty ? 'is empty' : `is another one (${id})`
  const remedy = isEmpty
    ? 'restore a backup into it by "ops backup restore", or correct DATABASE_URL or the place of its data'
    : 'correct DATABASE_URL'
  return new AnotherDatabase(
    `The database ${what}, and this platform has lived in another${known}, as ${witness} knows: ${remedy}. ` +
      `Where this one is meant, set INSTALLATION_ID=${id}.`,
  )
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
