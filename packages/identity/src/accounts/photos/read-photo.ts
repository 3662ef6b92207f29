import { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { PHOTO_BYTES } from '@platform/contracts'
import { piecesOf } from '@platform/http'
import { Failure } from '@platform/kernel'

const FIELD = 'photo'
const LIMITS = { files: 1, fields: 0, parts: 1, fileSize: PHOTO_BYTES, headerPairs: 20, headerSize: 4096 }

/**
 * The one file of a multipart form. Throws UnsupportedMediaType for another kind of body, RequestValidationError for
 * a form that has not exactly the field `photo`, PayloadTooLarge for more than 4 MB.
 */
export function readPhoto(body: Buffer, contentType: string | undefined): Promise<Buffer> {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? ''))
    throw new Failure('UnsupportedMediaType', 'Send the picture as field photo of multipart/form-data.')
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const found: Buffer[] = []
  const form = formOf(contentType ?? '')
  // Whatever else is in a form that is refused is not looked at.
  const stop = (failure: Failure) => {
    reject(failure)
    form.destroy()
  }
  const refuse = () => stop(malformed())
  form.on('file', (name, file) => {
    const chunks: Buffer[] = []
    file.on('data', (chunk: Buffer) => chunks.push(chunk))
    file.on('limit', () => stop(tooLarge()))
    file.on('error', refuse)
    file.on('end', () => {
      if (name === FIELD) found.push(Buffer.concat(chunks))
    })
  })
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit', 'error'] as const) form.on(event, refuse)
  form.on('finish', () => {
    const [photo] = found
    if (photo === undefined) refuse()
    else resolve(photo)
  })
  Readable.from(piecesOf(body)).pipe(form)
  return promise
}

function formOf(contentType: string) {
  const headers: BusboyHeaders = { 'content-type': contentType }
  try {
    return new Busboy({ headers, limits: LIMITS, isPartAFile: (name) => name === FIELD })
  } catch {
    throw malformed()
  }
}

const malformed = (): Failure =>
  new Failure(
    'RequestValidationError',
    'Send a multipart form with one file, the field photo, and nothing else.',
  )

const tooLarge = (): Failure =>
  new Failure('PayloadTooLarge', `The picture is larger than ${PHOTO_BYTES} bytes: send a smaller one.`, {
    details: { max: PHOTO_BYTES },
  })
