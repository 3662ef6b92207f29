import { openDirectory } from './directory.ts'
import type { Files } from './files.ts'
import { openS3 } from './s3.ts'

const DEADLINE_MS = 10_000

/**
 * Opens the store a URL names: `file:<directory>`, or `s3://key:secret@host[:port]/bucket?region=…&tls=…` (tls is
 * true without it).
 * `deadlineMs` is the longest a method takes, 10 s without it. Rejects when a directory can't be made; an S3 server
 * that is down doesn't keep it from opening.
 */
export async function openFiles(url: string, options: { deadlineMs?: number } = {}): Promise<Files> {
  const { deadlineMs = DEADLINE_MS } = options
  const scheme = url.slice(0, url.indexOf(':'))
  if (scheme === 's3') return openS3(url, deadlineMs)
  if (scheme !== 'file') throw new Error('The URL of a file store must begin with file: or s3:.')
  const directory = url.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
  if (directory === '') throw new Error('The URL of a file store must name a directory: file:<directory>.')
  return openDirectory(directory, deadlineMs)
}

type Env = Readonly<Record<string, string | undefined>>

const PREFIX = 'UPLOADS_STORAGE_S3_LIKE_'

/**
 * The URL of the file store an environment names: `FILES_URL`, else the variables `UPLOADS_STORAGE_S3_LIKE_*`
 * (ACCESS_KEY, SECRET_KEY, ENDPOINT, BUCKET_NAME, REGION), else undefined. Throws, naming the variable,
 * when one of them is missing.
 */
export function filesUrlOf(env: Env): string | undefined {
  if (env.FILES_URL !== undefined && env.FILES_URL !== '') return env.FILES_URL
  if (!Object.entries(env).some(([name, value]) => name.startsWith(PREFIX) && (value ?? '') !== ''))
    return undefined
  const endpoint = URL.parse(required(env, 'ENDPOINT'))
  if (endpoint === null || !/^https?:$/.test(endpoint.protocol))
    throw new Error(`${PREFIX}ENDPOINT must be an http or https address.`)
  const key = encodeURIComponent(required(env, 'ACCESS_KEY'))
  const secret = encodeURIComponent(required(env, 'SECRET_KEY'))
  const parameters = new URLSearchParams({ tls: String(endpoint.protocol === 'https:') })
  const region = env[`${PREFIX}REGION`] ?? ''
  if (region !== '') parameters.set('region', region)
  return `s3://${key}:${secret}@${endpoint.host}/${required(env, 'BUCKET_NAME')}?${parameters}`
}

function required(env: Env, name: string): string {
  const value = env[`${PREFIX}${name}`] ?? ''
  if (value === '') throw new Error(`${PREFIX}${name} is required when files are kept in S3.`)
  return value
}
