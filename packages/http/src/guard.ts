import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '@platform/kernel'
import { endConnectionWith, isBehindTheLast } from './end-response.ts'

const singletons = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'authorization',
  'transfer-encoding',
  'expect',
  'user-agent',
  'origin',
  'idempotency-key',
])
/** A name or an IPv4 address, or an IPv6 address in brackets; then perhaps a port. */
const host = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i
const urlBytes = /^[!-~]+$/

/** Node drops the headers beyond this number without a word. */
export const MAX_HEADERS = 100
/** Parameters a query may have: parsing more would cost others their time. */
const MAX_PARAMETERS = 100

/**
 * Refuses what node:http lets through but an honest client never sends, before anything else is done with a request.
 * Throws RequestValidationError, also for a request with several identities. A request whose end can be read in two
 * ways is the last one of its connection.
 */
export function refuseAmbiguous(request: IncomingMessage, response: ServerResponse): void {
  if (isBehindTheLast(request)) throw invalid('The connection had ended before this request.')
  try {
    inspectVersion(request.httpVersion)
    inspectHeaders(request.rawHeaders)
    inspectHost(request)
    if (request.headers['transfer-encoding'] !== undefined)
      inspectFraming(request, request.headers['transfer-encoding'])
  } catch (error) {
    response.shouldKeepAlive = false
    endConnectionWith(request)
    throw error
  }
  inspectTarget(request.method, request.url ?? '')
}

/** Node also takes 0.9, which is what it calls a request line without a version, and 2.0. */
function inspectVersion(version: string): void {
  if (version !== '1.1' && version !== '1.0')
    throw invalid('The request line must end in HTTP/1.1 or HTTP/1.0.')
}

/** Nothing is routed by it, but proxies in front may read a host out of it that is not the one we read. */
function inspectHost({ headers, httpVersion }: IncomingMessage): void {
  const given = headers.host
  if (given === undefined && httpVersion === '1.0') return
  if (given === undefined) throw invalid('The header host is missing.')
  if (!host.test(given)) throw invalid('The header host must be a host name, with a port where there is one.')
}

function inspectTarget(method: string | undefined, url: string): void {
  if (method === 'TRACE' || method === 'CONNECT')
    throw new Failure('MethodNotAllowed', 'The method is not allowed.')
  if (!url.startsWith('/') && !(url === '*' && method === 'OPTIONS'))
    throw invalid('The request target must be a path.')
  if (!urlBytes.test(url) || url.includes('#'))
    throw invalid('The request target holds bytes that must be percent-encoded.')
  if (url.includes('%')) inspectPathEncoding(url)
  // Shorter ones have no room for so many.
  if (url.length > 2 * MAX_PARAMETERS) inspectParameters(url)
}

function inspectParameters(url: string): void {
  const start = url.indexOf('?')
  if (start < 0) return
  let count = 1
  for (let at = url.indexOf('&', start); at >= 0; at = url.indexOf('&', at + 1)) count += 1
  if (count > MAX_PARAMETERS)
    throw invalid(`The query has ${count} parameters: send ${MAX_PARAMETERS} at most.`)
}

function inspectPathEncoding(url: string): void {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  if (/%00/.test(path)) throw invalid('The path holds a NUL character.')
  try {
    decodeURIComponent(path)
  } catch {
    throw invalid('The path is not properly percent-encoded UTF-8.')
  }
}

/** Two readings of where a body ends are how requests are smuggled. */
function inspectFraming(request: IncomingMessage, coding: string): void {
  if (request.headers['content-length'] !== undefined) {
    throw invalid('Content-Length and Transfer-Encoding contradict each other.')
  }
  if (coding.toLowerCase() === 'chunked' && request.httpVersion === '1.1') return
  throw invalid('Only the transfer coding "chunked" is known.')
}

function inspectHeaders(raw: readonly string[]): void {
  if (raw.length >= MAX_HEADERS * 2)
    throw new Failure('HeadersTooLarge', `The request has ${MAX_HEADERS} headers or more: send fewer.`)
  const seen: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? ''
    if (name === '') throw invalid('A header has no name.')
    if (!singletons.has(name) && !name.startsWith('x-platform-')) continue
    if (seen.includes(name)) throw invalid(`The header ${name} is there twice.`)
    seen.push(name)
  }
}

const invalid = (message: string) => new Failure('RequestValidationError', message)
