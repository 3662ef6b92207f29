/** How much one call may do; what is left is done by the next. */
export interface Budget {
  /** Documents the next step may take: 0 when the call is to end. */
  readonly next: number
  took(documents: number): void
}

const BATCH = 1000
const DOCUMENTS = 50_000
const LONGEST_MS = 15_000

/** Documents and time of one call, so that no request and no lock lasts long. */
export function callBudget(documents: number = DOCUMENTS): Budget {
  const endAt = performance.now() + LONGEST_MS
  let left = documents
  return {
    get next() {
      return performance.now() >= endAt ? 0 : Math.max(0, Math.min(BATCH, left))
    },
    took(count) {
      left -= count
    },
  }
}
