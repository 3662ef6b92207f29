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
