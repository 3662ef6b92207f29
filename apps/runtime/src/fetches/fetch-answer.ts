import { ExpressionError, readJson } from '@platform/expressions'
import { asItIs } from '@platform/secret-references'
import { measure } from '../contexts/value-size.ts'
import type { LiveStream } from './live-stream.ts'

/** What came back from the outside. */
export interface FetchAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly bytes: Buffer
  /** What comes piece by piece, where that was asked for: there are no bytes then. */
  readonly live?: LiveStream
}

/** Why there is no answer, as the variable of the `output` holds it. */
export interface FetchFailure {
  readonly error: { readonly name: string; readonly message: string }
}

export type OutputMode = 'body' | 'detailed_response' | 'data_url' | 'base64'

/** The answer as the automation wants it, or that it can't be read. */
export type ReadAnswer = { readonly output: unknown } | FetchFailure

/** `conceal` takes secrets out of bytes before they are written in base64, where nobody would find them. */
export function readAnswer(
  answer: FetchAnswer,
  mode: OutputMode,
  host: string,
  conceal: (value: unknown) => unknown = asItIs,
): ReadAnswer {
  if (mode === 'base64') return { output: concealedBytes(answer.bytes, conceal).toString('base64') }
  if (mode === 'data_url')
    return { output: dataUrlOf({ ...answer, bytes: concealedBytes(answer.bytes, conceal) }) }
  const read = bodyOf(answer, host)
  if ('error' in read || mode === 'body') return read
  return { output: { body: read.output, headers: answer.headers, status: answer.status } }
}

/** Each byte is a character meanwhile. */
const concealedBytes = (bytes: Buffer, conceal: (value: unknown) => unknown): Buffer =>
  conceal === asItIs ? bytes : Buffer.from(String(conceal(bytes.toString('latin1'))), 'latin1')

/** Text in the encoding that the answer names. */
export function textOf({ bytes, headers }: FetchAnswer): string {
  const label = /charset="?([\w.:-]{1,40})/i.exec(contentTypeOf(headers))?.[1]
  return decoderOf(label).decode(bytes)
}

/** What can be read as JSON is; an answer that only says that it is JSON is a text. */
function bodyOf(answer: FetchAnswer, host: string): ReadAnswer {
  const text = textOf(answer)
  const mediaType = contentTypeOf(answer.headers).split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!/^(application|text)\/(.+\+)?json$/.test(mediaType)) return { output: text }
  try {
    const output = readJson(text)
    return measure(output, Number.MAX_SAFE_INTEGER).excess === undefined ? { output } : tooCostly(host)
  } catch (error) {
    return error instanceof ExpressionError ? tooCostly(host) : { output: text }
  }
}

const dataUrlOf = ({ bytes, headers }: FetchAnswer): string => {
  const type = contentTypeOf(headers) || 'application/octet-stream'
  return `data:${type.replaceAll(/\s/g, '')};base64,${bytes.toString('base64')}`
}

const contentTypeOf = (headers: FetchAnswer['headers']): string => String(headers['content-type'] ?? '')

function decoderOf(label: string | undefined): { decode(bytes: Uint8Array): string } {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}

const tooCostly = (host: string): FetchFailure => ({
  error: {
    name: 'PayloadTooLarge',
    message: `${host} answers JSON with too many values or levels: ask it for less, or take it as base64.`,
  },
})
