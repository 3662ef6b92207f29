import { type Queries, raw, sql } from '@platform/database'
import { fingerprintOf, type MasterKey, masterKeyRing } from '@platform/master-keys'
import { sealedValues } from './contents.ts'
import { BackupProblem, type Manifest } from './manifest.ts'

type UsedKeys = Manifest['masterKeys']

/**
 * The master keys that sealed what stands in the tables. Throws BackupProblem where `keys` can't open it: a backup
 * whose secrets nobody can read is noticed when it is made, not when it is needed.
 */
export async function usedMasterKeys(
  queries: Queries,
  tables: ReadonlySet<string>,
  keys: readonly MasterKey[],
): Promise<UsedKeys> {
  const values = sealedValues
    .filter(({ table }) => tables.has(table))
    .map(({ table, value }) => `select ${value} as sealed from ${table}`)
  if (values.length === 0) return []
  const rows = await queries.many<{ id: string }>(
    raw(`select distinct split_part(sealed, ':', 1) as id
      from (${values.join(' union all ')}) all_values where sealed is not null order by 1`),
  )
  const used = rows.map(({ id }) => {
    const key = keys.find((each) => each.id === id)
    if (key !== undefined) return { id, fingerprint: fingerprintOf(key) }
    throw new BackupProblem(
      `SECRETS_MASTER_KEYS has no key "${id}", which sealed values of this database: ` +
        'give the keys the platform runs with.',
    )
  })
  if (tables.has('gateway.signing_keys')) await openSigningKeys(queries, keys)
  return used
}

/** An id says which key it should be, opening a value that it is. */
async function openSigningKeys(queries: Queries, keys: readonly MasterKey[]): Promise<void> {
  const sealed = await queries.many<{ kid: string; text: string }>(
    sql`select kid, sealed_jwk as text from gateway.signing_keys`,
  )
  if (sealed.length === 0) return
  const ring = masterKeyRing(keys)
  for (const { kid, text } of sealed) {
    try {
      ring.open(text, `gateway.signing_keys|${kid}|sealed_jwk`)
    } catch (cause) {
      throw new BackupProblem((cause as Error).message, { cause })
    }
  }
}

/** Throws BackupProblem unless `keys` open what a backup holds. */
export function requireMasterKeys({ masterKeys }: Manifest, keys: readonly MasterKey[]): void {
  const missing = masterKeys.filter(
    ({ id, fingerprint }) => !keys.some((key) => key.id === id && fingerprintOf(key) === fingerprint),
  )
  if (missing.length === 0) return
  const named = missing.map(({ id, fingerprint }) => `"${id}" with the fingerprint ${fingerprint}`).join(', ')
  throw new BackupProblem(
    `The backup needs the master key ${named}, which SECRETS_MASTER_KEYS does not have: ` +
      'put it back from where it is kept apart from the backups.',
  )
}
