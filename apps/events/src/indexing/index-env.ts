import { count, inSecret, passwordOf } from '@platform/config'
import { isIndexUrl } from '@platform/search'
import { z } from 'zod'

/** Variables of the search index. */
export const indexVariables = {
  SEARCH_URL: inSecret(
    z
      .string()
      .default('postgres:')
      .refine((url) => /^postgres(ql)?:/.test(url) || isIndexUrl(url), {
        message: 'must be postgres:, opensearch+http(s)://… or elasticsearch+http(s)://…',
      })
      .describe(
        'Where events are searched: postgres: (the database itself), ' +
          'opensearch+http(s)://… or elasticsearch+http(s)://…, ' +
          'which is built from the database and may be lost.',
      ),
  ),
  SEARCH_PASSWORD: passwordOf('SEARCH_URL'),
  EVENTS_SHARDS_SMALL: count(1).describe(
    'Primary shards of a workspace’s events in the search index while they are few.',
  ),
  EVENTS_SHARDS: count(3).describe('Primary shards of them once they have outgrown 40 GB.'),
  EVENTS_REPLICAS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(1)
    .describe('Copies of each shard in the search index.'),
}

interface IndexEnv {
  SEARCH_URL: string
  EVENTS_SHARDS_SMALL: number
  EVENTS_SHARDS: number
  EVENTS_REPLICAS: number
}

/** What the variables mean. */
export const indexSettings = (env: IndexEnv) => ({
  searchUrl: env.SEARCH_URL,
  indexOptions: {
    smallShards: env.EVENTS_SHARDS_SMALL,
    bigShards: env.EVENTS_SHARDS,
    replicas: env.EVENTS_REPLICAS,
  },
})
