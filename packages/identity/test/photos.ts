import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startIdentity } from './start-identity.ts'

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex')
export const GIF = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64')
export const WEBP = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64')

/** The fields of an account, or of a refusal. */
type AnswerBody = Record<'id' | 'status' | 'photo' | 'error' | 'message', string>

/** A gateway with a directory for pictures. */
export async function startWithPhotos(env: Record<string, string> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'photos-'))
  const gateway = await startIdentity({ env: { FILES_URL: `file:${directory}`, ...env } })
  return {
    gateway,
    /** The pictures that are kept. */
    kept: () => readdir(join(directory, 'photos')).catch(() => []),
    /** Sends a form as a browser does. */
    async send(headers: Record<string, string>, form: FormData | string) {
      const response = await fetch(`${gateway.url}/v2/user/photo`, { method: 'POST', headers, body: form })
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as AnswerBody,
      }
    },
    /** A picture by the address in a profile, which names the public host. */
    open: (photo: string) => fetch(`${gateway.url}${new URL(photo).pathname}`),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type WithPhotos = Awaited<ReturnType<typeof startWithPhotos>>

/** A form with one file. */
export function formOf(
  bytes: Uint8Array,
  { field = 'photo', type = 'image/png', name = 'me.png' } = {},
): FormData {
  const form = new FormData()
  form.append(field, new Blob([new Uint8Array(bytes)], { type }), name)
  return form
}
