import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { limits } from '@platform/contracts'
import {
  bodyTooLarge,
  decodeUtf8,
  parseQuery,
  parseStrictJson,
  piecesOf,
  type RequestInfo,
} from '@platform/http'
import { Failure } from '@platform/kernel'

/** A request as an automation gets it: what its payload holds. */
export async function payloadOf(
  request: Pick<RequestInfo, 'headers' | 'url' | 'method'>,
  bytes: Buffer,
  options: {
    pathParams: Readonly<Record<string, string>>
    readsRawBody: boolean
    issuer: string
    maxFileBytes: number
  },
): Promise<Readonly<Record<string, unknown>>> {
  const body = await readBody(bytes, request.headers['content-type'] ?? '', options.maxFileBytes)
  return {
    body,
    query: { ...parseQuery(request.url) },
    headers: shownHeaders(request.headers, options.issuer),
    method: request.method,
    pathParams: options.pathParams,
    ...(options.readsRawBody ? { rawBody: bytes.toString('base64') } : {}),
  }
}

/** The body as automations see it: JSON, a form, a multipart form, text, or bytes in base64. */
export async function readBody(bytes: Buffer, contentType: string, maxFileBytes: number): Promise<unknown> {
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (bytes.length === 0) return {}
  if (mediaType === 'multipart/form-data') return await readMultipart(bytes, contentType, maxFileBytes)
  if (bytes.length > limits.bodyBytes) throw bodyTooLarge(limits.bodyBytes)
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return parseStrictJson(bytes)
  if (mediaType === 'application/x-www-form-urlencoded') return readForm(decodeUtf8(bytes))
  if (mediaType.startsWith('text/') || mediaType.endsWith('/xml') || mediaType.endsWith('+xml'))
    return decodeUtf8(bytes)
  return { mimetype: mediaType, size: bytes.length, base64: bytes.toString('base64') }
}

/** A repeated name becomes a list. */
function readForm(text: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(text)) addField(fields, name, value)
  return fields
}

const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** Adds a field; its second value makes it a list. NUL characters are refused: no text here may have them. */
function addField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (forbidden.has(name)) throw invalid(`The form has a field "${name}", which is not allowed.`)
  if (`${name}${typeof value === 'string' ? value : ''}`.includes('\u0000')) {
    throw invalid('The form holds a NUL character, which no text here may have.')
  }
  const before = fields[name]
  if (before === undefined) fields[name] = value
  else fields[name] = Array.isArray(before) ? [...before, value] : [before, value]
}

/** A file as automations see it. */
interface UploadedFile {
  originalname: string
  encoding: string
  mimetype: string
  size: number
  base64: string
}

const MAX_PARTS = 50
const MAX_FIELD_NAME_BYTES = 200

/** Files and fields of a multipart form by name; a part without a name is `file`. */
function readMultipart(
  bytes: Buffer,
  contentType: string,
  maxFileBytes: number,
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, unknown> = {}
    const pending: Promise<void>[] = []
    const parser = openParser(contentType, maxFileBytes)
    const stop = (error: unknown) => {
      reject(error instanceof Failure ? error : invalid('The multipart form is not well formed.'))
      parser.destroy()
    }
    const add = (name: string | undefined, value: unknown) => {
      try {
        addField(fields, name === undefined || name === '' ? 'file' : name, value)
      } catch (error) {
        stop(error)
      }
    }
    parser.on('field', (name, value, _nameTruncated, isTruncated) => {
      if (isTruncated) return stop(invalid(`The field "${name}" is larger than ${limits.bodyBytes} bytes.`))
      return add(name, value)
    })
    parser.on('file', (name, stream, originalname, encoding, mimetype) => {
      stream.once('limit', () => stop(fileTooLarge(name, maxFileBytes)))
      const reading = readFile(stream).then((content) => {
        const size = content.length
        add(name, {
          originalname,
          encoding,
          mimetype,
          size,
          base64: content.toString('base64'),
        } satisfies UploadedFile)
      })
      reading.catch(stop)
      pending.push(reading)
    })
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      parser.on(limit, () => stop(invalid(`The form has more than ${MAX_PARTS} parts.`)))
    }
    parser.on('error', stop)
    parser.on('finish', () => void Promise.all(pending).then(() => resolve(fields), stop))
    Readable.from(piecesOf(bytes)).pipe(parser)
  })
}

/** The whole body is limited already; this limits its parts. */
function openParser(contentType: string, maxFileBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        parts: MAX_PARTS,
        fieldSize: limits.bodyBytes,
        fieldNameSize: MAX_FIELD_NAME_BYTES,
        fileSize: maxFileBytes,
      },
    })
  } catch {
    throw invalid('The Content-Type of the multipart form names no boundary.')
  }
}

async function readFile(stream: BusboyFileStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Headers of the connection, and those that carry what belongs to the platform. */
const hidden = new Set([
  'cookie',
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'proxy-authorization',
])

/** The headers an automation sees: all but credentials of the platform, cookies and `x-platform-*`. */
function shownHeaders(headers: IncomingHttpHeaders, issuer: string): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hidden.has(name) || name.startsWith('x-platform-') || name === '__proto__')
      continue
    if (name === 'authorization' && isOurs(String(value), issuer)) continue
    shown[name] = value
  }
  return shown
}

/** True for access tokens, API keys and JWTs of this platform; automations may see the Bearer of another system. */
function isOurs(authorization: string, issuer: string): boolean {
  const token = /^bearer\s+(\S+)$/i.exec(authorization.trim())?.[1]
  if (token === undefined) return false
  return token.startsWith('at:') || token.startsWith('iak_') || issuerOf(token) === issuer
}

function issuerOf(token: string): unknown {
  const [, claims, ...rest] = token.split('.')
  if (claims === undefined || rest.length !== 1) return undefined
  try {
    const parsed: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))
    return typeof parsed === 'object' && parsed !== null && 'iss' in parsed ? parsed.iss : undefined
  } catch {
    return undefined
  }
}

const fileTooLarge = (name: string | undefined, max: number) =>
  new Failure('PayloadTooLarge', `The file "${name ?? 'file'}" of the form has more than ${max} bytes.`, {
    details: { max },
  })

const invalid = (message: string) => new Failure('RequestValidationError', message)
