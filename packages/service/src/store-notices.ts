import type { Env } from '@platform/config'
import { StoreError } from '@platform/kernel'
import { safeMessage } from '@platform/readiness'

/** A store that stays away is reported again after this long. */
const AGAIN_MS = 30_000

/**
 * Reports which store is waited for: at once, and then every half minute, however many callers fail and how often.
 */
export class StoreNotices {
  readonly #write: (sentence: string) => void
  readonly #reportedAt = new Map<string, number>()

  constructor(write: (sentence: string) => void) {
    this.#write = write
  }

  /** True when the error is that of a store: then it has been reported, now or not long ago. */
  report(error: unknown): boolean {
    const root = rootOf(error)
    if (root !== undefined) this.note(root.name, obstacleSentence(root))
    return root !== undefined
  }

  /** Reports anything else about a store that is in the way of the start; a store is named as its errors are. */
  note(store: string, sentence: string): void {
    const now = performance.now()
    if (now - (this.#reportedAt.get(store) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return
    this.#reportedAt.set(store, now)
    this.#write(sentence)
  }
}

/** Which variable says where a store is. */
const variables: Record<string, keyof Env> = {
  DatabaseError: 'DATABASE_URL',
  BrokerError: 'BROKER_URL',
  CacheError: 'CACHE_URL',
  SearchError: 'SEARCH_URL',
}

/**
 * What an operator reads about a store that can't be used now: which one, why, and what to do. Carries no credential.
 */
export function obstacleSentence(error: StoreError): string {
  const what = safeMessage(error).replace(/[.\s]+$/, '')
  return `${what}: ${remedyOf(error.code ?? '', variables[error.name] ?? 'its address')}.`
}

const REMEDIES: [codes: RegExp, remedy: (variable: string | number) => string][] = [
  [/^(ECONNREFUSED|CONNECTION_REFUSED|UNREACHABLE)$/, (variable) => `start it, or correct ${variable}`],
  [/^(ENOTFOUND|EAI_AGAIN)$/, (variable) => `correct the name of the host in ${variable}`],
  [
    /^(28P01|28000|WRONGPASS|NOAUTH|NOPERM|AUTHORIZATION_VIOLATION|AUTHENTICATION.*|security_exception|401|403)$/,
    (variable) => `correct the user and the password in ${variable}`,
  ],
  [/^3D000$/, (variable) => `create it, or correct its name in ${variable}`],
  [/^(53100|ENOSPC)$/, () => 'free some space on the disk that holds its data'],
  [/^53300$/, () => 'allow it more connections'],
]

const remedyOf = (code: string, variable: string | number): string =>
  REMEDIES.find(([codes]) => codes.test(code))?.[1](variable) ??
  `see that it runs and can be reached from here, or correct ${variable}`

/** The store that failed: a broker or a log may only pass on what its database said. */
export function rootOf(error: unknown): StoreError | undefined {
  if (!(error instanceof StoreError)) return undefined
  return rootOf(error.cause) ?? error
}
