import { limits } from '@platform/contracts'
import { bodyTooLarge, decodeUtf8, parseStrictJson } from '@platform/http'
import { addField } from './form-fields.ts'
import { readMultipart } from './multipart.ts'

/**
 * The body of a URL call as automations see it: JSON, a form, a multipart form, text, or bytes in base64 (decisions
 * I6).
 */
export async function readPayload(bytes: Buffer, contentType: string): Promise<unknown> {
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (bytes.length === 0) return {}
  if (mediaType === 'multipart/form-data') return await readMultipart(bytes, contentType)
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
