/**
 * What a limit counts for: the address of the client, the user or key that calls, the workspace of the path, or what
 * a handler says, where that depends on the body or counts other things than requests.
 */
export type LimitSubject = 'address' | 'caller' | 'workspace' | 'handler'

/** A limit on how often something may be done. */
export interface RateLimit {
  /** Short name, shown in the RateLimit headers. */
  readonly name: string
  /** Uses in one window; 0 allows none. */
  readonly points: number
  /** Length of the window, which begins with its first use. */
  readonly seconds: number
  /** Further uses within a minute, for those who do much at once; none without it. */
  readonly burst?: number
  readonly per: LimitSubject
  /**
   * What counts: without it every request. `created` is for limits on making something: a request that was refused
   * and an answer given again count nothing. `well-formed` also counts what was refused for another reason than its
   * own form, for example an address that is taken: who could ask without end would learn which are.
   */
  readonly counts?: 'created' | 'well-formed'
  /** Environment variable that changes `points`; with `_BURST` behind it, the one that changes `burst`. */
  readonly variable: string
  /** What is limited, for the page of variables and the API description. */
  readonly summary: string
}
