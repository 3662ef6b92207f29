import type { IncomingMessage } from 'node:http'
import { limits } from '@platform/contracts'
import { hasBody, mediaTypeOf, readBody, requireMediaType } from './body.ts'
import type { AutomationText, Route } from './route.ts'
import { decodeUtf8, parseStrictJson } from './strict-json.ts'
import { validate } from './validation.ts'

type Contract = Route['contract']

const nothing = Buffer.alloc(0)
const yamlTypes = ['application/yaml', 'text/yaml', 'application/x-yaml']

/** The bytes of a body the contract has; empty without one. Throws UnsupportedMediaType, PayloadTooLarge. */
export async function readContractBytes(contract: Contract, request: IncomingMessage): Promise<Buffer> {
  const limit = contract.bodyLimitBytes ?? limits.bodyBytes
  if (contract.bodyKind === 'bytes') return hasBody(request) ? readBody(request, limit) : nothing
  if (contract.bodyKind === 'automation') {
    requireMediaType(request, ['application/json', ...yamlTypes])
    return readBody(request, limit)
  }
  if (contract.body === undefined || !hasBody(request)) return nothing
  requireMediaType(request, ['application/json'])
  return readBody(request, limit)
}

/** The body as the handler gets it. Throws RequestValidationError with every problem. */
export function parseContractBody(contract: Contract, request: IncomingMessage, bytes: Buffer): unknown {
  if (contract.bodyKind === 'bytes') return bytes
  if (contract.bodyKind === 'automation') {
    const mediaType = yamlTypes.includes(mediaTypeOf(request)) ? 'yaml' : 'json'
    return { text: decodeUtf8(bytes), mediaType } satisfies AutomationText
  }
  if (contract.body === undefined) return undefined
  // A chunked body may turn out to be empty: nothing was sent then.
  return validate(contract.body, bytes.length === 0 ? undefined : parseStrictJson(bytes), 'body')
}
