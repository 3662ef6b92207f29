import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StoredFile } from '../src/files.ts'

interface Asked {
  response: ServerResponse
  key: string
  file: StoredFile
}

/** What a test makes the server do with the next requests, before it looks at them. */
export type Trouble = (request: IncomingMessage, response: ServerResponse) => boolean

export const CREDENTIALS = { key: 'AKIDTESTS', secret: 'a/secret+of the=tests', region: 'eu-test-1' }

/**
 * One bucket of S3 in memory. It takes a request only when its signature (Signature Version 4, written here from its
 * documentation alone) covers the method, the path, the query, the host, the type, the time and the bytes.
 */
export async function startS3(bucket: string) {
  const state: { trouble: Trouble | undefined; requests: number } = { trouble: undefined, requests: 0 }
  const server = createServer((request, response) => {
    state.requests += 1
    if (state.trouble?.(request, response) === true) return
    gathered(request).then(
      (body) => {
        const problem = problemOf(request, body)
        if (problem !== undefined) return refuse(response, 403, problem)
        answer(request, response, body)
      },
      () => response.destroy(),
    )
  })
  const answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const [, name, ...rest] = (request.url ?? '').split('/')
    if (name !== bucket) return refuse(response, 404, 'NoSuchBucket')
    const mediaType = request.headers['content-type'] ?? ''
    return operations[request.method ?? '']?.({
      response,
      key: rest.join('/'),
      file: { bytes: body, mediaType },
    })
  }
  const operations = operationsOn(new Map())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    state,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const operationsOn = (stored: Map<string, StoredFile>): Record<string, (asked: Asked) => unknown> => ({
  HEAD: ({ response }) => response.writeHead(200).end(),
  PUT({ response, key, file }) {
    stored.set(key, file)
    response.writeHead(200).end()
  },
  DELETE({ response, key }) {
    stored.delete(key)
    response.writeHead(204).end()
  },
  GET({ response, key }) {
    const found = stored.get(key)
    if (found === undefined) return refuse(response, 404, 'NoSuchKey')
    return response.writeHead(200, { 'content-type': found.mediaType }).end(found.bytes)
  },
})

function refuse(response: ServerResponse, status: number, code: string) {
  return response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<Error><Code>${code}</Code></Error>`)
}

async function gathered(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const AUTHORIZATION = new RegExp(
  '^AWS4-HMAC-SHA256 Credential=([^/]+)/(\\d{8})/([^/]+)/s3/aws4_request, ' +
    'SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$',
)

/** The error code for a request that is not exactly what was signed. */
function problemOf({ headers, method, url = '' }: IncomingMessage, body: Buffer): string | undefined {
  const parts = AUTHORIZATION.exec(headers.authorization ?? '') ?? []
  const [, key, day = '', region = '', names = '', signature] = parts
  if (key !== CREDENTIALS.key || region !== CREDENTIALS.region) return 'InvalidAccessKeyId'
  const signed = names.split(';')
  const needed = ['host', 'x-amz-content-sha256', 'x-amz-date', 'content-type'].filter(
    (name) => name in headers,
  )
  if (needed.length < 3 || !needed.every((name) => signed.includes(name))) return 'AccessDenied'
  const hash = createHash('sha256').update(body).digest('hex')
  if (headers['x-amz-content-sha256'] !== hash) return 'XAmzContentSHA256Mismatch'
  const [path = '', query = ''] = url.split('?')
  const canonicalHeaders = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('')
  const canonical = [method, path, query, canonicalHeaders, names, hash].join('\n')
  const expected = signatureOf(canonical, day, region, String(headers['x-amz-date']))
  return expected === signature ? undefined : 'SignatureDoesNotMatch'
}

function signatureOf(canonical: string, day: string, region: string, time: string): string {
  const scope = `${day}/${region}/s3/aws4_request`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const toSign = ['AWS4-HMAC-SHA256', time, scope, digest].join('\n')
  const mac = (by: string | Buffer, text: string) => createHmac('sha256', by).update(text).digest()
  const signingKey = [region, 's3', 'aws4_request'].reduce(mac, mac(`AWS4${CREDENTIALS.secret}`, day))
  return mac(signingKey, toSign).toString('hex')
}
