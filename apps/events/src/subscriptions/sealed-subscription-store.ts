import { type Queries, sql } from '@platform/database'
import type { SubscriptionRecord } from './subscription.ts'
import { subscriptionColumns, subscriptionTables } from './subscription-store.ts'

export type SealedSubscriptionStore = ReturnType<typeof sealedSubscriptionStore>

/** What master keys have sealed of subscriptions. */
export const sealedSubscriptionStore = (queries: Queries) => ({
  /** Those with a value that another master key has sealed, locked. */
  sealedWithOther: (masterKeyId: string, limit: number) =>
    queries.many<SubscriptionRecord>(sql`
      select ${subscriptionColumns} from ${subscriptionTables}
      where not starts_with(s.secret, ${`${masterKeyId}:`})
        or not starts_with(coalesce(s.previous_secret, ${`${masterKeyId}:`}), ${`${masterKeyId}:`})
        or not starts_with(coalesce(s.headers, ${`${masterKeyId}:`}), ${`${masterKeyId}:`})
      order by s.id limit ${limit} for update of s`),

  reseal: ({ id, secret, previousSecret, headers }: SubscriptionRecord) =>
    queries.many(sql`
      update events.subscriptions set secret = ${secret}, previous_secret = ${previousSecret}, headers = ${headers}
      where id = ${id}`),
})
