/** A bucket and the credentials that open it. */
export interface S3Address {
  /** Scheme, host and port of the server. */
  origin: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const SHAPE = 's3://<key>:<secret>@<host>[:<port>]/<bucket>[?region=<region>&tls=false]'

/**
 * Reads `s3://key:secret@host[:port]/bucket?region=…&tls=…`; key and secret are percent-encoded. Throws with the
 * shape, never the secret.
 */
export function s3AddressOf(url: string): S3Address {
  const parsed = URL.parse(url)
  const bucket = parsed?.pathname.slice(1) ?? ''
  if (parsed === null || parsed.username === '' || parsed.password === '' || parsed.hostname === '')
    throw new Error(`The address of an S3 store must look like ${SHAPE}.`)
  if (!BUCKET.test(bucket)) throw new Error(`The address of an S3 store must name a bucket: ${SHAPE}.`)
  const tls = parsed.searchParams.get('tls') ?? 'true'
  if (tls !== 'true' && tls !== 'false') throw new Error('The tls of an S3 store must be true or false.')
  return {
    origin: `${tls === 'true' ? 'https' : 'http'}://${parsed.host}`,
    bucket,
    region: parsed.searchParams.get('region') ?? 'us-east-1',
    accessKeyId: decoded(parsed.username),
    secretAccessKey: decoded(parsed.password),
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Error('The key and the secret of an S3 store must be percent-encoded.')
  }
}
