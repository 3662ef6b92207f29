import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { KEY, runOps, serve } from '../../test/testing.ts'

describe('ops config print', () => {
  test('asks the process that runs, with the internal key, and lets nothing it says move the cursor', async () => {
    const asked: unknown[] = []
    await using platform = await serve((request, response) => {
      asked.push([request.url, request.headers['x-platform-api-key']])
      const settings = [{ name: 'LOG_LEVEL', origin: 'all in one', value: 'wa\u001brn' }]
      response.end(JSON.stringify({ settings }))
    })
    const { code, out, err } = await runOps(['config', 'print'], {
      PORT: platform.port,
      INTERNAL_API_KEY: KEY,
    })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(asked).toEqual([['/sys/config', KEY]])
    expect(out).toMatch(/^LOG_LEVEL +all in one +wa rn$/m)
  })

  test('takes the key from the file that INTERNAL_API_KEY_FILE names', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'ops-')), 'internal-api-key')
    writeFileSync(file, `${KEY}\n`)
    const keys: unknown[] = []
    await using platform = await serve((request, response) => {
      keys.push(request.headers['x-platform-api-key'])
      response.end(JSON.stringify({ settings: [] }))
    })
    const env = { PORT: platform.port, INTERNAL_API_KEY_FILE: file }
    expect((await runOps(['config', 'print'], env)).code).toBe(0)
    expect(keys).toEqual([KEY])
    expect(await runOps(['keys', 'list'], { ...env, INTERNAL_API_KEY: KEY })).toMatchObject({
      code: 1,
      err: 'INTERNAL_API_KEY and INTERNAL_API_KEY_FILE are both given: keep one of the two.',
    })
  })

  test('inside of a deployment asks at the internal address, not at the public one', async () => {
    await using platform = await serve((_, response) => response.end(JSON.stringify({ settings: [] })))
    const env = { API_URL: 'https://platform.example/v2', INTERNAL_API_KEY: KEY }
    const inside = { ...env, INTERNAL_API_URL: `http://127.0.0.1:${platform.port}/v2` }
    expect(await runOps(['config', 'print'], inside)).toMatchObject({ code: 0, err: '' })
  })

  test('where nothing runs shows what a start would read, with its origin, and secrets as their length', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ops-'))
    writeFileSync(join(directory, 'secrets.env'), 'INTERNAL_API_KEY=hunter2-hunter2\n')
    const { code, out, err } = await runOps(['config', 'print'], {
      DATA_DIRECTORY: directory,
      LOG_LEVEL: 'debug',
      DATABASE_URL: 'postgres://u:hunter2@db/x',
      FILES_URL: 's3://key:hunter2@files.example/uploads',
      SECRETS_MASTER_KEYS: 'k1:hunter2',
      API_URL: 'http://127.0.0.1:1/v2',
    })
    expect(code).toBe(0)
    expect(err).toMatch(
      /^Nothing answers at http:\/\/127\.0\.0\.1:1: .+ This is what a start from here would read\.$/,
    )
    expect(out).not.toContain('hunter2')
    expect(out).toMatch(/^VARIABLE +ORIGIN +VALUE$/m)
    expect(out).toMatch(/^INTERNAL_API_KEY +secrets file +\[15 characters\]$/m)
    expect(out).toMatch(/^SECRETS_MASTER_KEYS +environment +\[10 characters\]$/m)
    expect(out).toMatch(/^DATABASE_URL +environment +postgres:\/\/\[credentials\]@db\/x$/m)
    expect(out).toMatch(/^FILES_URL +environment +s3:\/\/\[credentials\]@files\.example\/uploads$/m)
    expect(out).toMatch(/^LOG_LEVEL +environment +debug$/m)
    expect(out).toMatch(/^ACCESS_TOKENS_MAX_AGE +default +2592000$/m)
    const ports = '3001 (api-gateway), 3002 (workspaces), 3003 (runtime), 3004 (events), 4000 (functions)'
    expect(out).toMatch(new RegExp(`^PORT +default +${ports.replaceAll(/[()]/g, '\\$&')}$`, 'm'))
    expect(out).toMatch(/^SESSION_COOKIES_SIGN_SECRET +required$/m)
  })
})
