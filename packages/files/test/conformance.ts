import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Files } from '../src/files.ts'

const newKey = () => `test/${randomUUID()}.bin`
const png = (bytes: Buffer) => ({ bytes, mediaType: 'image/png' })

/** What every file store promises (port files.ts). */
export function filesConformance(files: () => Files): void {
  describe('files', () => {
    it('answer the bytes and the type that were put', async () => {
      const key = newKey()
      const bytes = Buffer.concat([Buffer.from('\n\0é\r\n'), randomBytes(100_000)])
      await files().put(key, png(bytes))
      const found = await files().get(key)
      expect(found?.mediaType).toBe('image/png')
      expect(found?.bytes.equals(bytes)).toBe(true)
    })

    it('may be empty, and may have a charset', async () => {
      const key = newKey()
      await files().put(key, { bytes: Buffer.alloc(0), mediaType: 'text/plain; charset=utf-8' })
      expect(await files().get(key)).toEqual({
        bytes: Buffer.alloc(0),
        mediaType: 'text/plain; charset=utf-8',
      })
    })

    it('are undefined where nothing was put, also below and above a file', async () => {
      const key = newKey()
      await files().put(key, png(Buffer.from('x')))
      for (const other of [newKey(), `${key}/below`, 'test']) expect(await files().get(other)).toBeUndefined()
    })

    it('lie beside folders of the same name', async () => {
      const key = newKey()
      await files().put(`${key}/below`, png(Buffer.from('below')))
      await files().put(key, png(Buffer.from('above')))
      expect((await files().get(key))?.bytes.toString()).toBe('above')
      expect((await files().get(`${key}/below`))?.bytes.toString()).toBe('below')
    })

    it('are gone when deleted; deleting what is not there is no error', async () => {
      const key = newKey()
      await files().put(key, png(Buffer.from('x')))
      await files().delete(key)
      await files().delete(key)
      await files().delete(newKey())
      expect(await files().get(key)).toBeUndefined()
    })

    it('are read whole while they are replaced: the old or the new bytes, with their type', async () => {
      const key = newKey()
      const versions = [1, 2].map((version) => ({
        bytes: Buffer.alloc(200_000, version),
        mediaType: `image/v${version}`,
      }))
      const [first = png(Buffer.alloc(0))] = versions
      await files().put(key, first)
      const writes = Array.from({ length: 20 }, (_, index) => files().put(key, versions[index % 2] ?? first))
      const reads = Array.from({ length: 40 }, async () => {
        const found = await files().get(key)
        const version = found?.bytes[0] ?? 0
        expect(found?.bytes.equals(Buffer.alloc(200_000, version))).toBe(true)
        expect(found?.mediaType).toBe(`image/v${version}`)
      })
      await Promise.all([...writes, ...reads])
    })

    it.each([
      '',
      '/',
      '/etc/passwd',
      'a/',
      'a//b',
      '.',
      '..',
      '../a',
      'a/../../b',
      'a/./b',
      'a\\b',
      'a\0b',
      'a b',
      'é',
      '%2e%2e/a',
      'a@',
      '@incoming/x',
      'a?b',
      'a#b',
      'x'.repeat(201),
    ])('are never looked for under the key %j', async (key) => {
      const attempts = [
        () => files().get(key),
        () => files().put(key, png(Buffer.from('x'))),
        () => files().delete(key),
      ]
      for (const attempt of attempts) await expect(async () => attempt()).rejects.toThrow(TypeError)
    })

    it('refuse a type that would be a header of its own', async () => {
      const file = { bytes: Buffer.from('x'), mediaType: 'image/png\r\nset-cookie: a=b' }
      await expect(files().put(newKey(), file)).rejects.toThrow(TypeError)
    })

    it('can be reached', async () => {
      await files().reach(AbortSignal.timeout(5000))
    })
  })
}
