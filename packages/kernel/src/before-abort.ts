/** The result of `work`, unless the signal aborts first: then rejects with `failure()`. The work itself goes on. */
export async function beforeAbort<T>(
  work: Promise<T>,
  signal: AbortSignal,
  failure: () => unknown,
): Promise<T> {
  work.catch(() => undefined)
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(failure())
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([aborted.promise, work])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
