import type { Logger } from '@platform/logging'
import { type SealedKeys, signs } from './sealed-keys.ts'
import type { RingKey } from './signing-key.ts'
import type { StoredKey } from './signing-key-store.ts'

/**
 * Opens stored keys, each once. A start fails when one can't be opened. Later such a key is left out and told
 * instead: an instance that was not given a new master key yet must still hear of keys that are removed.
 */
export function keyOpener(
  sealed: SealedKeys,
  log: Pick<Logger, 'error'>,
): (rows: readonly StoredKey[]) => RingKey[] {
  let known: Map<string, RingKey> | undefined
  return (rows) => {
    const opened = rows.flatMap((row) => {
      const before = known?.get(row.kid)
      if (before !== undefined) return [{ ...before, signs: signs(row) }]
      try {
        return [sealed.open(row)]
      } catch (error) {
        if (known === undefined) throw error
        log.error(
          { err: error, kid: row.kid },
          'a signing key can not be opened, what it signs is refused here',
        )
        return []
      }
    })
    known = new Map(opened.map((key) => [key.kid, key]))
    return opened
  }
}
