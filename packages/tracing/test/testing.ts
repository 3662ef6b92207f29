import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as it was received. */
export interface ReceivedSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  kind: number
  attributes: Record<string, unknown>
  status: number | undefined
  /** `service.name` of the process it came from. */
  service: string
}

/** A small OTLP/HTTP receiver. */
export interface Receiver extends AsyncDisposable {
  url: string
  spans: ReceivedSpan[]
  /** Headers of what came, newest last. */
  requests: IncomingMessage['headers'][]
}

interface OtlpValue {
  stringValue?: string
  intValue?: number | string
  boolValue?: boolean
  doubleValue?: number
}
interface OtlpAttribute {
  key: string
  value: OtlpValue
}
interface OtlpSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  attributes: OtlpAttribute[]
  status?: { code?: number }
}
interface OtlpBody {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[]
}

/** Starts a receiver; `answer` replaces its 200, for example to answer late or never. */
export async function startReceiver(answer?: (response: ServerResponse) => void): Promise<Receiver> {
  const spans: ReceivedSpan[] = []
  const requests: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push(request.headers)
      if (request.url === '/v1/traces')
        spans.push(...readSpans(JSON.parse(Buffer.concat(chunks).toString()) as OtlpBody))
      if (answer !== undefined) answer(response)
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const readSpans = ({ resourceSpans }: OtlpBody): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(readAttributes(resource.attributes)['service.name'])
    return scopeSpans
      .flatMap((scope) => scope.spans)
      .map((span) => ({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId === '' ? undefined : span.parentSpanId,
        kind: span.kind,
        attributes: readAttributes(span.attributes),
        status: span.status?.code,
        service,
      }))
  })

const readAttributes = (attributes: OtlpAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
