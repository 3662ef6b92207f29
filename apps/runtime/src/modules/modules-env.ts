import { count, days, inSecret } from '@platform/config'
import { type MasterKey, masterKeysField } from '@platform/master-keys'
import type { z } from 'zod'
import type { Overrides } from '../overrides/overrides.ts'

/** What the modules of `run` read. */
export const moduleVariables = {
  SECRETS_MASTER_KEYS: inSecret(
    masterKeysField.optional().describe('<id>:<base64 of 32 bytes>, comma list; the first one seals.'),
  ),
  RUN_SECRETS_MAX: count(10_000).describe('Most secrets that the automations of a workspace keep.'),
  COLLECTIONS_MAX: count(200).describe('Most collections of a workspace.'),
  COLLECTION_RECORDS_MAX: count(1_000_000).describe(
    'Most records of a collection, counted every ten minutes.',
  ),
  USER_TOPICS_MAX: count(10_000).describe('Most topics of a workspace: audiences of events.'),
  USER_TOPIC_MEMBERS_MAX: count(10_000).describe('Most members of a topic.'),
  WORKSPACE_TRASH_DAYS: days(30).describe('How long a deleted workspace can be restored.'),
}

export interface ModuleSettings {
  readonly masterKeys: readonly MasterKey[] | undefined
  readonly secretsMax: number
  readonly overrides: Overrides
  readonly collections: { readonly maxCollections: number; readonly maxRecords: number }
  readonly topics: { readonly maxTopics: number; readonly maxMembers: number }
  /** How long what a deleted workspace had is kept. */
  readonly keptDays: number
}

type ModuleEnv = z.output<z.ZodObject<typeof moduleVariables>>

export const moduleSettings = (env: ModuleEnv, overrides: Overrides): ModuleSettings => ({
  overrides,
  masterKeys: env.SECRETS_MASTER_KEYS,
  secretsMax: env.RUN_SECRETS_MAX,
  collections: { maxCollections: env.COLLECTIONS_MAX, maxRecords: env.COLLECTION_RECORDS_MAX },
  topics: { maxTopics: env.USER_TOPICS_MAX, maxMembers: env.USER_TOPIC_MEMBERS_MAX },
  keptDays: env.WORKSPACE_TRASH_DAYS,
})
