import { describe, expect, test } from 'vitest'
import { KEY, runOps, serve } from '../../test/testing.ts'

const KID = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG'
const OLD = 'old-key-0123456789-old-key-0123456789-01234'
const key = (kid: string, changes: object = {}) => ({
  kid,
  alg: 'RS256',
  kind: 'RSA 2048',
  state: 'signing',
  sealedWith: 'k1',
  publishedAt: '2026-01-01T00:00:00.000Z',
  signsSince: '2026-01-01T01:00:00.000Z',
  rotatedAt: null,
  removedAfter: null,
  sessions: 12,
  ...changes,
})
const rotated = key(OLD, {
  state: 'rotated',
  rotatedAt: '2026-01-01T01:00:00.000Z',
  removedAfter: '2026-01-31T01:01:00.000Z',
  sessions: 3,
})
const removal = {
  kid: OLD,
  state: 'rotated',
  sessions: 3,
  users: 1,
  clients: [
    { clientId: 'console', sessions: 2 },
    { clientId: 'app\u001b[2J', sessions: 1 },
  ],
  successor: KID,
}
const masterKeys = [
  { id: 'k2', seals: true, known: true, sealed: [{ place: 'gateway.signing_keys.sealed_jwk', values: 2 }] },
  { id: 'k1', seals: false, known: true, sealed: [{ place: 'gateway.totp.secret', values: 1 }] },
  { id: 'k0', seals: false, known: true, sealed: [] },
  { id: 'lost', seals: false, known: false, sealed: [{ place: 'gateway.totp.secret', values: 4 }] },
]

/** A platform with two signing keys, and what it was asked. */
async function platform(keys = [key(KID), rotated]) {
  const asked: string[] = []
  const server = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '' } = request
    asked.push(`${method} ${url} ${Buffer.concat(chunks)}`.trim())
    const answers: Record<string, unknown> = {
      'GET /v2/platform/signing-keys': keys,
      'GET /v2/platform/master-keys': masterKeys,
      'POST /v2/platform/signing-keys/rotation': { keys },
      [`GET /v2/platform/signing-keys/${OLD}/removal`]: removal,
      [`DELETE /v2/platform/signing-keys/${OLD}`]: removal,
    }
    const answer = answers[`${method} ${url}`]
    response
      .writeHead(answer === undefined ? 404 : 200)
      .end(JSON.stringify(answer ?? { error: 'ObjectNotFoundError', message: 'Nothing is there.' }))
  })
  const env = { PORT: server.port, INTERNAL_API_KEY: KEY }
  return Object.assign(server, { asked, env })
}

describe('ops keys list', () => {
  test('shows the keys and what the master keys hold', async () => {
    await using server = await platform()
    const { code, out } = await runOps(['keys', 'list'], server.env)
    expect(code).toBe(0)
    expect(out).toBe(
      [
        'STATE    KEY                                          KIND      ALG    SEALED WITH  PUBLISHED   ' +
          '          SIGNS SINCE           REMOVED AFTER         SESSIONS',
        'signing  abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG  RSA 2048  RS256  k1           2026-01-01 ' +
          '00:00:00Z  2026-01-01 01:00:00Z  -                     12',
        'rotated  old-key-0123456789-old-key-0123456789-01234  RSA 2048  RS256  k1           2026-01-01 ' +
          '00:00:00Z  2026-01-01 01:00:00Z  2026-01-31 01:01:00Z  3',
        '',
        'Master key k2 seals: 2 values (2 in gateway.signing_keys.sealed_jwk).',
        'Master key k1 opens: 1 value (1 in gateway.totp.secret): they are sealed again within ten minutes.',
        'Master key k0 opens: 0 values: it may be taken out.',
        'Master key lost is not in SECRETS_MASTER_KEYS: add it back, it has sealed 4 values (4 in ' +
          'gateway.totp.secret).',
      ].join('\n'),
    )
  })

  test('has colours on a terminal, the same text below them', async () => {
    await using server = await platform()
    const coloured = await runOps(['keys', 'list'], server.env, true)
    const bare = await runOps(['keys', 'list'], server.env)
    expect(coloured.out).toContain('\u001b[32msigning')
    expect(coloured.out.replace(/\p{Cc}\[\d+m/gu, '')).toBe(bare.out)
  })

  test('prints what was answered with --json', async () => {
    await using server = await platform()
    const { out } = await runOps(['keys', 'list', '--json'], server.env)
    expect(JSON.parse(out)).toMatchObject({ signingKeys: [{ kid: KID }, { kid: OLD }], masterKeys })
  })
})

describe('ops keys rotate', () => {
  test('says that the next key is published and nobody is signed out', async () => {
    await using server = await platform([key(KID), key(OLD, { state: 'published', signsSince: null })])
    const { code, out } = await runOps(['keys', 'rotate'], server.env)
    expect(code).toBe(0)
    expect(out).toContain(`${OLD} is published and signs once JWKS_PUBLISH_AHEAD has passed`)
    expect(server.asked).toEqual(['POST /v2/platform/signing-keys/rotation {"immediately":false}'])
  })

  test('says with --now which key signs', async () => {
    await using server = await platform()
    const { out } = await runOps(['keys', 'rotate', '--now'], server.env)
    expect(out).toContain(`${KID} signs from now on`)
    expect(server.asked).toEqual(['POST /v2/platform/signing-keys/rotation {"immediately":true}'])
  })
})

describe('ops keys remove', () => {
  test('shows whom it signs out, asks, and removes', async () => {
    await using server = await platform()
    const questions: string[] = []
    const { code, out } = await runOps(['keys', 'remove', 'old-key'], server.env, false, async (question) => {
      questions.push(question)
      expect(server.asked.some((line) => line.startsWith('DELETE'))).toBe(false)
      return true
    })
    expect({ code, questions }).toEqual({ code: 0, questions: ['Remove it?'] })
    expect(out).toBe(
      [
        'old-key-0123456789-old-key-0123456789-01234 (rotated)',
        'Signs out 3 sessions of 1 person:',
        '  console: 2 sessions',
        '  app [2J: 1 session',
        'Afterwards abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG signs.',
        'Removed. abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG signs; every instance refuses the removed ' +
          'key within seconds.',
      ].join('\n'),
    )
    expect(server.asked.at(-1)).toBe(`DELETE /v2/platform/signing-keys/${OLD}`)
  })

  test('removes nothing when the answer is no, and ends with 1', async () => {
    await using server = await platform()
    const { code, err } = await runOps(['keys', 'remove', OLD], server.env, false, async () => false)
    expect({ code, err }).toEqual({ code: 1, err: 'Nothing was removed.' })
    expect(server.asked.some((line) => line.startsWith('DELETE'))).toBe(false)
  })

  test('needs --yes where nobody can be asked, and asks nobody with it', async () => {
    await using server = await platform()
    const { code, err } = await runOps(['keys', 'remove', OLD], server.env)
    expect({ code, err }).toEqual({
      code: 1,
      err: 'Nobody can be asked here: add --yes to remove the key.',
    })
    const refuse = () => Promise.reject(new Error('asked'))
    expect((await runOps(['keys', 'remove', OLD, '--yes'], server.env, false, refuse)).code).toBe(0)
    expect(server.asked.at(-1)).toBe(`DELETE /v2/platform/signing-keys/${OLD}`)
  })

  test.each([
    [['keys', 'remove', 'none-such', '--yes'], 'No signing key begins with "none-such"'],
    [['keys', 'remove', 'old', '--yes'], 'No signing key begins with "old"'],
    [['keys', 'remove', 'same', '--yes'], '2 signing keys begin with "same": give more of the id.'],
    [['keys', 'remove'], "Missing required argument 'kid'."],
  ])('%j is told as a sentence', async (args, sentence) => {
    await using server = await platform([key(KID), rotated, key('same-1'), key('same-2')])
    const { code, err } = await runOps(args, server.env)
    expect(code).toBe(1)
    expect(err).toContain(sentence)
  })
})
