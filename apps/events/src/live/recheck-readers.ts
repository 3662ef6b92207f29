import type { UserPrincipal } from '@platform/auth'
import { Failure, isUuid } from '@platform/kernel'
import type { Admission, OpenPermissions } from '@platform/permissions'
import type { Job } from '@platform/service'
import { LiveReaders, type LiveSession } from './live-readers.ts'
import type { ReaderRightsStore, RightsQuestion } from './reader-rights-store.ts'

/** A change is seen within this, and acted upon within a second of it. */
const EVERY_MS = 400

interface Deps {
  readers: LiveReaders
  rights: ReaderRightsStore
  /** Permissions of their own: their cache is emptied whenever something has changed. */
  permissions: Pick<OpenPermissions, 'require' | 'forget'>
}

/**
 * Ends live readers who may not read any more, and shows the others what their new role shows. Only a clear no ends
 * one.
 */
export function recheckReaders({ readers, rights, permissions }: Deps): Job {
  /**
   * What was in the tables when each was judged; one that comes in later may have been let in by what was known
   * before.
   */
  const judged = new WeakMap<LiveSession, string>()
  const judge = async (group: readonly LiveSession[], print: string): Promise<void> => {
    const [first] = group
    if (first === undefined) return
    const verdict = await verdictOn(first, permissions)
    // Readers that could not be judged just now are judged the next time, though nothing changes until then.
    if (verdict === 'unknown') return
    for (const session of group) {
      judged.set(session, print)
      if (verdict === 'refused') session.refuse()
      else LiveReaders.admit(session, verdict)
    }
  }
  return {
    name: 'check-live-readers',
    everyMs: EVERY_MS,
    async run() {
      const groups = [...Map.groupBy(readers.all(), keyOf).values()]
      if (groups.length === 0) return
      const prints = await rights.fingerprints(groups.map(([session]) => questionOf(session)))
      const changed = groups
        .map((group, index) => ({ group, print: prints[index] ?? '' }))
        .filter(({ group, print }) => group.some((session) => judged.get(session) !== print))
      if (changed.length > 0) permissions.forget()
      await Promise.all(changed.map(({ group, print }) => judge(group, print)))
    },
  }
}

async function verdictOn(
  { reader }: LiveSession,
  permissions: Deps['permissions'],
): Promise<Admission | 'refused' | 'unknown'> {
  try {
    return await permissions.require(reader.principal, 'read', {
      type: 'events',
      workspace: reader.admission.workspace.id,
    })
  } catch (error) {
    return error instanceof Failure ? 'refused' : 'unknown'
  }
}

/** Everything about a caller that decides: two streams of one user may carry different keys. */
function keyOf({ reader }: LiveSession): string {
  const { principal, admission } = reader
  const { userId, apiKeyId, superAdmin, lentTo } = { ...emptyPrincipal, ...principal }
  return JSON.stringify([admission.workspace.id, principal.kind, userId, apiKeyId, superAdmin, lentTo])
}

const emptyPrincipal: Partial<Pick<UserPrincipal, 'userId' | 'apiKeyId' | 'superAdmin' | 'lentTo'>> = {}

function questionOf(session: LiveSession | undefined): RightsQuestion {
  const principal = session?.reader.principal
  const { apiKeyId }: { apiKeyId?: string | undefined } = { ...emptyPrincipal, ...principal }
  return {
    workspaceId: session?.reader.admission.workspace.id ?? '',
    userId: principal?.kind === 'user' ? principal.userId : null,
    apiKeyId: apiKeyId !== undefined && isUuid(apiKeyId) ? apiKeyId : null,
  }
}
