import { isRecord } from '@platform/kernel'
import FormData from 'form-data'
import { MAX_OUTPUT, requireSize } from '../contexts/value-size.ts'
import { type Fields, invalid, isGiven, isMissing, textOf } from './given-fields.ts'

/** A field of a form with files. `content` is text, or with `isBase64` bytes. */
export interface FormPart {
  readonly name: string
  readonly content: string
  readonly isBase64: boolean
  readonly filename?: string | undefined
  readonly contentType?: string | undefined
}

/** A URL of data in base64, as `outputMode: data_url` makes it. */
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[\w.+"-]+)*;base64,/i
const MAX_PARTS = 100

/**
 * The fields of `multipart`. A value is a text; a URL of data with a file name, and a file as a URL trigger gets it
 * (`{ originalname, mimetype, base64 }`), are sent as their bytes. Throws InvalidInstructionError, or PayloadTooLarge.
 */
export function partsOf(given: unknown): readonly FormPart[] | undefined {
  if (isMissing(given)) return undefined
  if (!Array.isArray(given)) throw invalid('fetch.multipart must be a list of fields.')
  if (given.length === 0) return undefined
  if (given.length > MAX_PARTS) throw invalid(`fetch.multipart may have ${MAX_PARTS} fields.`)
  requireSize(given, MAX_OUTPUT, () => 'The body of a fetch')
  return given.map(partOf)
}

function partOf(given: unknown, index: number): FormPart {
  const at = `fetch.multipart[${index}]`
  if (!isRecord(given) || typeof given.fieldname !== 'string' || given.fieldname === '')
    throw invalid(`${at}.fieldname is missing.`)
  const { fieldname: name, value } = given
  const filename = text(given.filename, `${at}.filename`)
  const contentType = text(given.contentType, `${at}.contentType`)
  if (isFile(value)) {
    const named = {
      filename: filename ?? textOr(value.originalname),
      contentType: contentType ?? textOr(value.mimetype),
    }
    return { name, content: value.base64, isBase64: true, ...named, filename: named.filename ?? 'file' }
  }
  const url = typeof value === 'string' && filename !== undefined ? DATA_URL.exec(value) : null
  if (url === null) return { name, content: contentOf(value), isBase64: false, filename, contentType }
  return {
    name,
    content: String(value).slice(url[0].length),
    isBase64: true,
    filename,
    contentType: contentType ?? url[1],
  }
}

/** The bytes of the request and their content type, which names the boundary between the fields. */
export function encodedForm(parts: readonly FormPart[]): {
  bytes: Uint8Array<ArrayBuffer>
  contentType: string
} {
  const form = new FormData()
  for (const part of parts) form.append(part.name, contentOfPart(part), optionsOf(part))
  return { bytes: new Uint8Array(form.getBuffer()), contentType: form.getHeaders()['content-type'] ?? '' }
}

/** Bytes get a content type, by which a receiver takes a part for a file: a text alone is a field and has none. */
function contentOfPart({ content, isBase64, filename, contentType }: FormPart): string | Buffer {
  if (isBase64) return Buffer.from(content, 'base64')
  return filename === undefined && contentType === undefined ? content : Buffer.from(content)
}

const optionsOf = ({ filename, contentType }: FormPart): FormData.AppendOptions => ({
  ...(filename === undefined ? {} : { filename }),
  ...(contentType === undefined ? {} : { contentType }),
})

function text(value: unknown, at: string): string | undefined {
  if (!isGiven(value)) return undefined
  if (typeof value === 'string' && value.length <= 1000) return value
  throw invalid(`${at} must be a text of at most 1,000 characters.`)
}

const textOr = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, 1000) : undefined

const contentOf = (value: unknown): string => (isMissing(value) ? '' : textOf(value))

const isFile = (value: unknown): value is Fields & { readonly base64: string } =>
  isRecord(value) && typeof value.base64 === 'string'
