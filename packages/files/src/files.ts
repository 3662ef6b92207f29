import { StoreError } from '@platform/kernel'

/** Bytes under a key, with what must be known to serve them. */
export interface StoredFile {
  bytes: Buffer
  mediaType: string
}

/**
 * Blobs: uploads, photos, definitions. Keys are paths of `[A-Za-z0-9._-]` segments joined by `/`; anything else is
 * refused before a driver sees it. Every method ends within its deadline or rejects with FilesError.
 */
export interface Files extends AsyncDisposable {
  /** `directory` or `s3`. */
  readonly driver: 'directory' | 's3'
  /** Atomic: a reader sees the old bytes or the new ones, never a part. */
  put(key: string, file: StoredFile): Promise<void>
  get(key: string): Promise<StoredFile | undefined>
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>
  /** For readiness: resolves when the store answers. */
  reach(signal: AbortSignal): Promise<void>
}

/** What went wrong in the file store. `unavailable` means: not now; callers answer 503 and may try again. */
export class FilesError extends StoreError {
  override readonly name = 'FilesError'
}

const SEGMENT = /^[A-Za-z0-9._-]{1,200}$/
const MAX_LENGTH = 900
const MEDIA_TYPE = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}(?:; ?charset=[a-z0-9-]{1,20})?$/i

/**
 * The segments of a key. Throws TypeError for one that is no path of `[A-Za-z0-9._-]` segments, or leads out of its
 * store.
 */
export function segmentsOf(key: string): string[] {
  const segments = key.split('/')
  const fine = segments.every((segment) => SEGMENT.test(segment) && segment !== '.' && segment !== '..')
  if (!fine || key.length > MAX_LENGTH)
    throw new TypeError(`"${key.slice(0, 100)}" can't be the key of a file.`)
  return segments
}

/** Throws TypeError for what is no media type: it is sent to browsers as it is. */
export function requireMediaType(mediaType: string): void {
  if (!MEDIA_TYPE.test(mediaType)) throw new TypeError(`"${mediaType.slice(0, 100)}" is no media type.`)
}

/**
 * Does `work`, or rejects with FilesError when it fails or takes longer than `ms`. The signal stops the work.
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
