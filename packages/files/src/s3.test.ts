import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { filesConformance } from '../test/conformance.ts'
import { CREDENTIALS, startS3 } from '../test/s3-server.ts'
import { type Files, FilesError } from './files.ts'
import { openFiles } from './open-files.ts'

const BUCKET = 'uploads-of-tests'
const file = { bytes: Buffer.from('bytes'), mediaType: 'text/plain' }

let server: Awaited<ReturnType<typeof startS3>>
let files: Files

const urlOf = (changed: { key?: string; secret?: string; bucket?: string; region?: string } = {}) => {
  const { key, secret, region, bucket } = { ...CREDENTIALS, bucket: BUCKET, ...changed }
  const credentials = `${encodeURIComponent(key)}:${encodeURIComponent(secret)}`
  return `s3://${credentials}@127.0.0.1:${server.port}/${bucket}?region=${region}&tls=false`
}

beforeAll(async () => {
  server = await startS3(BUCKET)
  files = await openFiles(urlOf(), { deadlineMs: 2000 })
})
afterEach(() => {
  server.state.trouble = undefined
})
afterAll(() => server[Symbol.asyncDispose]())

describe('the s3 driver', () => {
  filesConformance(() => files)

  it.each([
    ['another key', { key: 'AKIDOTHER' }],
    ['another secret', { secret: 'wrong' }],
    ['another region', { region: 'eu-test-2' }],
    ['a bucket that is not there', { bucket: 'nobody-has-it' }],
  ])('is refused with %s, and says that it is not the caller’s fault', async (_, changed) => {
    const wrong = await openFiles(urlOf(changed))
    const reach = () => wrong.reach(AbortSignal.timeout(1000))
    for (const attempt of [() => wrong.put('a', file), () => wrong.get('a'), reach])
      await expect(attempt()).rejects.toMatchObject({ name: 'FilesError', unavailable: true })
  })

  it('tries again what a busy server did not take, and gives up after three times', async () => {
    let failures = 2
    server.state.trouble = (_, response) => {
      if (failures === 0) return false
      failures -= 1
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>')
      return true
    }
    await files.put('again', file)
    expect((await files.get('again'))?.bytes).toEqual(file.bytes)
    failures = 3
    await expect(files.get('again')).rejects.toMatchObject({ code: 'SlowDown' })
    expect(failures).toBe(0)
  })

  it('tries again when the connection breaks', async () => {
    let broken = 1
    server.state.trouble = (request) => {
      if (broken === 0) return false
      broken -= 1
      request.socket.destroy()
      return true
    }
    await files.put('broken', file)
    expect(broken).toBe(0)
  })

  it('gives up in time on a server that says nothing, or half of it', async () => {
    const hasty = await openFiles(urlOf(), { deadlineMs: 200 })
    server.state.trouble = () => true
    const began = performance.now()
    await expect(hasty.get('silent')).rejects.toThrow('took longer than 200 ms')
    server.state.trouble = (_, response) => response.writeHead(200, { 'content-length': '10' }).write('half')
    await expect(hasty.get('half')).rejects.toThrow(FilesError)
    expect(performance.now() - began).toBePrompt(1500)
  })

  it('never takes half a file for a whole one', async () => {
    server.state.trouble = (request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half')
      setImmediate(() => request.socket.destroy())
      return true
    }
    await expect(files.get('cut')).rejects.toThrow(FilesError)
  })

  it('follows no redirect: credentials stay with their server', async () => {
    server.state.trouble = (_, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:9/elsewhere' }).end()
      return true
    }
    await expect(files.get('moved')).rejects.toMatchObject({ name: 'FilesError' })
  })

  it('tells no secret in its errors', async () => {
    const wrong = await openFiles(urlOf({ secret: 'a canary of the tests' }))
    const error: unknown = await wrong.get('a').catch((reason: unknown) => reason)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/canary/)
    await expect(openFiles('s3://key:canary@host/')).rejects.not.toThrow(/canary/)
  })
})
