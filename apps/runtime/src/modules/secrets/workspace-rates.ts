import { SystemSecrets, systemSecretProblem } from '@platform/contracts'
import { atMost, SECOND_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Rate, ThrottleLimits } from '@platform/rate-limits'
import { LRUCache } from 'lru-cache'
import type { LimitsByWorkspace, ThrottledWork } from '../../automations/model.ts'
import { sealContextOf } from './secret-parts.ts'
import type { SealedSecret } from './secret-store.ts'

type WorkspaceLimits = ReturnType<LimitsByWorkspace['limitsOf']>

/** What is known of a workspace that works is asked for again after so long, where no event has told of a change. */
const MAX_AGE_MS = 3 * SECOND_MS
/** After a failure. */
const PAUSE_MS = SECOND_MS
const MAX_WORKSPACES = 20_000

interface Needs {
  /** What holds where operators have set nothing for a workspace. */
  readonly limits: ThrottleLimits<ThrottledWork>
  readonly listSystem: (workspaceIds: readonly string[]) => Promise<readonly SealedSecret[]>
  readonly masterKeys: MasterKeyRing | undefined
  readonly log: Pick<Logger, 'warn'>
}

/**
 * The limits of workspaces as operators have set them by secrets of the platform, kept in memory. What is known is
 * answered at once; it is asked for again behind that, with one statement for all workspaces that need it.
 */
export class WorkspaceRates implements LimitsByWorkspace {
  readonly #needs: Needs
  readonly #known = new LRUCache<string, Known>(atMost(MAX_WORKSPACES))
  /** Those that are being asked for, each once. */
  readonly #asked = new Set<string>()
  #next: Batch | undefined
  #last: Promise<void> = Promise.resolve()
  #notBefore = 0

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** What holds now, as far as it is known. */
  readonly limitsOf = (workspaceId: string): WorkspaceLimits => {
    const known = this.#known.get(workspaceId)
    if ((known === undefined || this.#isOld(known)) && !this.#asked.has(workspaceId))
      void this.#ask(workspaceId)
    return known === undefined ? this.#needs.limits : known.limits
  }

  /** Resolves once something is known of the workspace; undefined where it is. Never rejects. */
  readonly ready = (workspaceId: string): Promise<void> | undefined =>
    this.#known.has(workspaceId) ? undefined : this.#ask(workspaceId)

  /** They have changed: what was asked for before is asked for again at once. */
  forget(workspaceId: string): void {
    if (this.#known.has(workspaceId) || this.#asked.has(workspaceId)) void this.#ask(workspaceId)
  }

  /** Some may have changed: each is asked for again when it is needed. */
  forgetAll(): void {
    this.#notBefore = performance.now()
  }

  #isOld({ askedAt }: Known): boolean {
    return askedAt < this.#notBefore || performance.now() - askedAt > MAX_AGE_MS
  }

  /** One reading at a time: who asks meanwhile shares the next one, which begins after the question. */
  #ask(workspaceId: string): Promise<void> {
    this.#next ??= this.#newBatch()
    this.#next.ids.add(workspaceId)
    this.#asked.add(workspaceId)
    return this.#next.answer
  }

  #newBatch(): Batch {
    const ids = new Set<string>()
    const answer = this.#last.then(() => {
      this.#next = undefined
      return this.#read(ids)
    })
    this.#last = answer
    return { ids, answer }
  }

  async #read(ids: ReadonlySet<string>): Promise<void> {
    const askedAt = performance.now()
    try {
      const found = await this.#needs.listSystem([...ids])
      const byWorkspace = Map.groupBy(found, ({ workspaceId }) => workspaceId)
      for (const id of ids) this.#known.set(id, { limits: this.#limitsBy(byWorkspace.get(id)), askedAt })
    } catch (err) {
      this.#needs.log.warn({ err }, 'rate limits of workspaces could not be read, what is known goes on')
      const againSoon = askedAt - MAX_AGE_MS + PAUSE_MS
      for (const id of ids)
        this.#known.set(id, { limits: this.#needs.limits, ...this.#known.peek(id), askedAt: againSoon })
    } finally {
      for (const id of ids) if (this.#next?.ids.has(id) !== true) this.#asked.delete(id)
    }
  }

  #limitsBy(secrets: readonly SealedSecret[] = []): WorkspaceLimits {
    const { limits, masterKeys, log } = this.#needs
    if (secrets.length === 0 || masterKeys === undefined) return limits
    try {
      const texts = secrets.map((one) => [one.name, masterKeys.open(one.sealed, sealContextOf(one))] as const)
      return limitsWith(limits, texts)
    } catch (err) {
      log.warn({ err }, 'rate limits of a workspace could not be opened, it has those of all')
      return limits
    }
  }
}

interface Known {
  readonly limits: WorkspaceLimits
  /** By `performance.now()`. */
  readonly askedAt: number
}

interface Batch {
  readonly ids: Set<string>
  readonly answer: Promise<void>
}

/** The limits of a workspace with these secrets of the platform; one that can't be read is as good as none. */
export function limitsWith(
  limits: ThrottleLimits<ThrottledWork>,
  secrets: readonly (readonly [name: string, text: string])[],
): WorkspaceLimits {
  const read = secrets.filter(([name, text]) => systemSecretProblem(name, text) === undefined)
  const set = SystemSecrets.partial().parse(Object.fromEntries(read))
  if (set.prismeai_ratelimit_disabled === true) return undefined
  const rate = (work: ThrottledWork, name: RateName): Rate => ({
    perSecond: set[`prismeai_ratelimit_${name}`] ?? limits[work].perSecond,
    burst: set[`prismeai_ratelimit_${name}_burst`] ?? limits[work].burst,
  })
  return {
    ...limits,
    automations: rate('automations', 'automations'),
    emits: rate('emits', 'emits'),
    fetches: rate('fetches', 'fetchs'),
    repeats: rate('repeats', 'repeats'),
  }
}

type RateName = 'automations' | 'emits' | 'fetchs' | 'repeats'
