import { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { limits } from '@platform/contracts'
import { piecesOf } from '@platform/http'
import { Failure } from '@platform/kernel'
import { addField } from './form-fields.ts'

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
export function readMultipart(bytes: Buffer, contentType: string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, unknown> = {}
    const pending: Promise<void>[] = []
    const parser = openParser(contentType)
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
function openParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { parts: MAX_PARTS, fieldSize: limits.bodyBytes, fieldNameSize: MAX_FIELD_NAME_BYTES },
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

const invalid = (message: string) => new Failure('RequestValidationError', message)
