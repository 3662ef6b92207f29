import type { IndexAddress } from './address.ts'
import { isNoSuchRequest } from './data-streams.ts'
import { ADMIN_MS, bodyOf, type IndexLog, type Store } from './store.ts'

const ROLLOVER_BYTES = '40gb'

/** Operators know the policies by these names. */
const deletionName = (prefix: string): string => `${prefix}policy-events-deletion-scheduled`
export const rolloverName = (prefix: string): string => `${prefix}policy-events-rollover`

/**
 * Installs the policies for rollover and deletion where the build has policies. Returns the name of the one that
 * rolls over, or undefined where it has none: then the platform's own jobs do both. (They do in any case: a policy
 * that came first leaves them nothing to do.)
 */
export async function installPolicies(
  store: Store,
  { driver, prefix }: Pick<IndexAddress, 'driver' | 'prefix'>,
  { deletionDays, log }: { deletionDays: number; log: IndexLog },
): Promise<string | undefined> {
  const { path, name, rollover, deletion } = driver === 'opensearch' ? ism(deletionDays) : ilm(deletionDays)
  const put = (policy: string, body: object) =>
    store({ method: 'PUT', path: `${path}/${policy}`, body, timeoutMs: ADMIN_MS })
  const first = await put(rolloverName(prefix), rollover)
  if (isNoSuchRequest(first.status, first.body)) {
    log.info(
      `${name} is not in this build of the search store: rollover and deletion are done by the platform.`,
    )
    return undefined
  }
  // 409: the policy is there already.
  bodyOf(first, 409)
  bodyOf(await put(deletionName(prefix), deletion), 409)
  log.info(`The policies of ${name} are installed.`)
  return rolloverName(prefix)
}

const ilm = (days: number) => ({
  path: '/_ilm/policy',
  name: 'ILM',
  rollover: {
    policy: { phases: { hot: { actions: { rollover: { max_primary_shard_size: ROLLOVER_BYTES } } } } },
  },
  deletion: { policy: { phases: { delete: { min_age: `${days}d`, actions: { delete: {} } } } } },
})

const ism = (days: number) => ({
  path: '/_plugins/_ism/policies',
  name: 'ISM',
  rollover: ismPolicy('Rolls over large indexes.', [
    { name: 'hot', actions: [{ rollover: { min_primary_shard_size: ROLLOVER_BYTES } }], transitions: [] },
  ]),
  deletion: ismPolicy('Deletes streams of deleted workspaces.', [
    {
      name: 'waiting',
      actions: [],
      transitions: [{ state_name: 'deleted', conditions: { min_index_age: `${days}d` } }],
    },
    { name: 'deleted', actions: [{ delete: {} }], transitions: [] },
  ]),
})

interface State extends Record<string, unknown> {
  name: string
}

const ismPolicy = (description: string, states: [State, ...State[]]) => ({
  policy: { description, default_state: states[0].name, states },
})
