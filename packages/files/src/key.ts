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
