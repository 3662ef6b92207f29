import { SearchError } from '@platform/search'

/** `code` of what is thrown then. */
const LATE = 'LATE'

/** The same, or a SearchError that says `unavailable` when it takes longer. What comes later is ignored. */
export async function inTime<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () =>
      late.reject(new SearchError(`No answer within ${timeoutMs} ms.`, { unavailable: true, code: LATE })),
    timeoutMs,
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
