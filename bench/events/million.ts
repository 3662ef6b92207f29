import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { startEmbedded } from '@platform/database'
import { ADMIN, freshDirectory, signIn, startAllInOne } from '@platform/testing/platform'
import { startOpenSearch } from '../../e2e/support/open-search.ts'
import type { Figure } from '../measure/figure.ts'
import { workspaceToCall } from '../measure/signed-in.ts'
import { catchUp } from './catch-up.ts'
import { pages } from './pages.ts'
import { seed } from './seed.ts'

/** Events of the workspace: `--documents=100000` for a first impression. */
const documents = Number(
  process.argv.find((argument) => argument.startsWith('--documents='))?.slice(12) ?? 1_000_000,
)

/**
 * A workspace with a million events: pages of its feed from PostgreSQL, how fast an empty index takes them, and pages
 * from the index.
 */
export async function million(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const directory = freshDirectory('million-')
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const database = await startEmbedded(join(directory, 'postgres'))
  stack.defer(() => database.stop())
  const env = { DATABASE_URL: database.url, LOG_LEVEL: 'warn' }

  const { inPostgres, seeded, workspaceId } = await withoutIndex(env)
  const store = await startOpenSearch()
  stack.defer(() => store.stop())
  await using platform = await startAllInOne({ ...env, SEARCH_URL: store.url })
  const authorization = `Bearer ${await signIn(platform.origin, ADMIN)}`
  const caughtUp = await catchUp(platform.origin, authorization)
  const feed = { origin: platform.origin, workspaceId, authorization }
  return [...inPostgres, caughtUp, ...(await pages('OpenSearch', feed, seeded))]
}

async function withoutIndex(env: Record<string, string>) {
  await using platform = await startAllInOne(env)
  const workspace = await workspaceToCall(platform)
  const { workspaceId } = workspace
  console.error(`events: writing ${documents} events …`)
  const seeded = await seed(env.DATABASE_URL ?? '', workspaceId, documents)
  const feed = { origin: platform.origin, ...workspace }
  return { inPostgres: await pages('PostgreSQL', feed, seeded), seeded, workspaceId }
}
