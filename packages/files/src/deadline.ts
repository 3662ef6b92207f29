import { FilesError } from './files-error.ts'

/**
 * Does `work`, or rejects with FilesError when it fails or takes longer than `ms`. The signal tells the work to stop.
 */
export async function withinDeadline<T>(
  ms: number,
  doing: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(ms)
  const late = Promise.withResolvers<never>()
  const onLate = () =>
    late.reject(new FilesError(`${doing} took longer than ${ms} ms.`, { unavailable: true }))
  signal.addEventListener('abort', onLate, { once: true })
  try {
    return await Promise.race([work(signal), late.promise])
  } catch (error) {
    if (error instanceof FilesError) throw error
    throw new FilesError(`${doing} failed.`, { cause: error, unavailable: true })
  } finally {
    signal.removeEventListener('abort', onLate)
  }
}
