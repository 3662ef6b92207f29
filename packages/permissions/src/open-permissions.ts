import type { KnownWorkspace, Principal, WorkspaceRole } from '@platform/auth'
import { type Database, migrate } from '@platform/database'
import { type Clock, Failure, isUuid } from '@platform/kernel'
import { type ApiKeyRecord, isUsable } from './api-keys/api-key.ts'
import { apiKeyStore } from './api-keys/api-key-store.ts'
import { decide } from './decide.ts'
import { permissionStore, permissionsMigrations } from './permission-store.ts'
import { type Permissions, workspaceNotFound } from './permissions.ts'
import { recentAnswers } from './recent-answers.ts'
import { userTopicStore } from './user-topic-store.ts'

/** Permissions of one process. */
export interface OpenPermissions extends Permissions {
  /** Forgets what was cached here, so that a caller reads what it has just written. */
  forget(): void
}

const SLUG = 'slug:'

/**
 * Opens the permissions kept in `database`, migrating schema `permissions` when this process is the first to start.
 * Rejects with DatabaseError when the database can't answer.
 */
export async function openPermissions(options: {
  database: Database
  clock: Clock
}): Promise<OpenPermissions> {
  const { database, clock } = options
  await migrate(database, permissionsMigrations)
  const [store, keyStore] = [permissionStore(database), apiKeyStore(database)]
  const topicStore = userTopicStore(database)
  const workspaces = recentAnswers<KnownWorkspace | undefined>(clock, false)
  const roles = recentAnswers<WorkspaceRole | undefined>(clock)
  const keys = recentAnswers<ApiKeyRecord | undefined>(clock)
  // Who was put into a topic a moment ago comes at once: that somebody is in none is not remembered.
  const audiences = recentAnswers<true | undefined>(clock, false)

  const findWorkspace = (address: string) =>
    workspaces.get(address, () =>
      address.startsWith(SLUG)
        ? store.findWorkspaceBySlug(address.slice(SLUG.length))
        : store.findWorkspaceById(address),
    )
  const roleOf = (userId: string, workspaceId: string) =>
    roles.get(`${workspaceId}\n${userId}`, () => store.findRole(userId, workspaceId))
  const isInTopic = async (userId: string, workspaceId: string): Promise<boolean> => {
    const ask = async () => ((await topicStore.isInAnyTopic(workspaceId, userId)) ? true : undefined)
    return (await audiences.get(`${workspaceId}\n${userId}`, ask)) === true
  }
  const liveKey = async (id: string) => {
    const key = isUuid(id) ? await keys.get(id, () => keyStore.findById(id)) : undefined
    if (key === undefined || !isUsable(key, clock.now())) throw keyEnded()
    return key
  }

  return {
    findWorkspace,
    roleOf,
    forget() {
      workspaces.clear()
      roles.clear()
      keys.clear()
      audiences.clear()
    },
    async require(principal, action, { type, workspace: address }) {
      const keyId = keyIdOf(principal)
      const key = keyId === undefined ? undefined : await liveKey(keyId)
      const workspace = await findWorkspace(address)
      if (workspace === undefined) throw workspaceNotFound()
      return await decide({ principal, key, action, subject: type, workspace }, { roleOf, isInTopic })
    },
  }
}

const keyIdOf = (principal: Principal | undefined): string | undefined =>
  principal?.kind === 'user' || principal?.kind === 'apiKey' ? principal.apiKeyId : undefined

/** The gateway let the key in a moment ago; it ended since. */
const keyEnded = () => new Failure('AuthenticationError', 'The API key is not valid or was deleted.')
