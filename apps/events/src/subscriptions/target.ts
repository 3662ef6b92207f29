import type { MasterKeyRing } from '@platform/master-keys'
import type { Target } from './send-webhook.ts'
import { placeOf, type SubscriptionRecord } from './subscription.ts'

type Sealed = Pick<
  SubscriptionRecord,
  'id' | 'url' | 'headers' | 'secret' | 'previousSecret' | 'previousSecretUntil'
>

/**
 * Where a subscription sends, with its secrets opened. After a rotation the one before signs too, until its time is
 * over.
 */
export function targetOf(sealed: Sealed, masterKeys: MasterKeyRing, now: Date): Target {
  const { id, url, headers, secret, previousSecret, previousSecretUntil } = sealed
  const overlaps = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > now
  return {
    url,
    headers: headers === null ? {} : JSON.parse(masterKeys.open(headers, placeOf(id, 'headers'))),
    secrets: [secret, ...(overlaps ? [previousSecret] : [])].map((one) =>
      masterKeys.open(one, placeOf(id, 'secret')),
    ),
  }
}
