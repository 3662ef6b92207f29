import type { Audit, AuditAction } from '@platform/audit'
import { hashToken, isApiKey } from '@platform/auth'
import type { EventContract, PayloadInputOf } from '@platform/contracts'
import type { Database } from '@platform/database'
import { Failure, isUuid } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import { type ApiKeyRecord, apiKeyStore, type KeyAddress } from '@platform/permissions'
import type { Actor } from '../changes/actor.ts'
import { apiKeyNotFound, masked } from './api-key.ts'

/** One change of a key: its row, its event and its row in the audit trail, committed together or not at all. */
export interface ApiKeyChange {
  /** Throws ForbiddenError when the workspace has as many keys as it may have. */
  insert(key: ApiKeyRecord, keyHash: string): Promise<void>
  update(key: ApiKeyRecord): Promise<void>
  remove(key: ApiKeyRecord): Promise<void>
  /** The key that a path names by its record id or by the whole key, locked; throws ObjectNotFoundError. */
  lock(workspaceId: string, address: string): Promise<ApiKeyRecord>
  /** Emits the event and records it in the audit trail: always the last step of a change. */
  announce<C extends EventContract>(announcement: {
    contract: C
    payload: PayloadInputOf<C>
    action: AuditAction
    key: ApiKeyRecord
    actor: Actor
  }): Promise<void>
}

export type ApiKeyChangeStore = ReturnType<typeof apiKeyChangeStore>

/** Where API keys are read and changed. */
export const apiKeyChangeStore = (database: Database, outbox: Outbox, audit: Audit, max: number) => ({
  list: (workspaceId: string, page: { offset: number; limit: number }) =>
    apiKeyStore(database).list(workspaceId, page),

  /** The key that a path names; throws ObjectNotFoundError. */
  find: (workspaceId: string, address: string) =>
    required((by) => apiKeyStore(database).findIn(workspaceId, by), address),

  commit: <T>(work: (change: ApiKeyChange) => Promise<T>): Promise<T> =>
    database.transaction((tx) => {
      const keys = apiKeyStore(tx)
      return work({
        async insert(key, keyHash) {
          if ((await keys.countToInsert(key.workspaceId)) >= max) throw tooManyKeys(max)
          await keys.insert(key, keyHash)
        },
        update: keys.update,
        remove: ({ id }) => keys.remove(id),
        lock: (workspaceId, address) => required((by) => keys.lockIn(workspaceId, by), address),
        async announce({ contract, payload, action, key, actor }) {
          const { source } = actor
          await outbox.add(tx, contract, payload, { ...source, workspaceId: key.workspaceId })
          await audit.record(tx, {
            action,
            actor: `user:${actor.id}`,
            subject: `apiKey:${key.id}`,
            ip: source.ip,
            correlationId: source.correlationId,
            details: auditDetails(key),
          })
        },
      })
    }),
})

const tooManyKeys = (max: number) =>
  new Failure(
    'ForbiddenError',
    `The workspace has ${max} API keys, as many as it may have: delete some first.`,
    { details: { max } },
  )

/** What the path of a request names; undefined for what can be no key. */
function addressOf(text: string): KeyAddress | undefined {
  if (isUuid(text)) return { id: text }
  return isApiKey(text) ? { keyHash: hashToken(text) } : undefined
}

async function required(find: (by: KeyAddress) => Promise<ApiKeyRecord | undefined>, text: string) {
  const by = addressOf(text)
  const key = by && (await find(by))
  if (key === undefined) throw apiKeyNotFound()
  return key
}

const auditDetails = (key: ApiKeyRecord) => ({
  workspaceId: key.workspaceId,
  apiKey: masked(key),
  name: key.name,
  rules: key.rules,
  disabled: key.disabled,
  expiresAt: key.expiresAt?.toISOString() ?? null,
})
