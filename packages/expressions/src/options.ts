/** Ceilings of one evaluation; reaching one throws ExpressionError. */
export interface Limits {
  /** Units of work: one per operator, call and visited element, one per 32 characters of text. */
  readonly steps: number
  /** Characters of text produced in total. */
  readonly characters: number
  /** Levels of nested data visited. */
  readonly depth: number
}

/** What an evaluation takes from its host; everything is optional. */
export interface Options {
  /** The clock; the system's by default. */
  readonly now?: () => Date
  /** A number in [0, 1); Math.random by default. */
  readonly random?: () => number
  /** A new unique id; dashes are removed. Cryptographically random by default. */
  readonly uuid?: () => string
  /** Language of formatted dates, 'en' by default. */
  readonly locale?: string
  /** Time zone of formatted dates (DEFAULT_TIMEZONE), 'Europe/Paris' by default. */
  readonly timezone?: string
  readonly limits?: Partial<Limits>
  /** Told the steps an evaluation has used, also one that failed. */
  readonly onSpent?: (steps: number) => void
}

/** The ceilings in force when the host names none. */
export const defaultLimits: Limits = { steps: 1_000_000, characters: 10_000_000, depth: 200 }
