import { createHash, createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Answers, type Got, json, startOutside } from '../../test/outside.ts'
import { compiled, runMain, testEngine, testFetches } from '../../test/testing.ts'
import { readBody } from '../webhooks/payload.ts'

type Fields = Record<string, unknown>

const asksForToken = ({ url }: Got): boolean => url === '/token'

/** Runs fetches of one server outside, one after the other; `$outside` in a text is its address. */
async function fetched(answers: Answers, all: Fields[], payload: Fields = {}) {
  await using outside = await startOutside(answers)
  await using fetches = testFetches()
  const text = JSON.stringify(all).replaceAll('$outside', outside.url)
  const steps = (JSON.parse(text) as Fields[]).map((fields, at) => ({
    fetch: { url: `${outside.url}/api`, ...fields, output: `out${at}` },
  }))
  const main = { do: steps, output: all.map((_, at) => `{{out${at}}}`) }
  const { output, failed, events } = await runMain(compiled({ main }), payload, {}, testEngine({ fetches }))
  return { output: output as unknown[], failed: failed?.failure, events, got: outside.got }
}

const ok: Answers = (_, response) => response.end('fine')

describe('basic', () => {
  test('sends user and password, and shows neither where the request fails', async () => {
    const refuses: Answers = (got, response) =>
      response.writeHead(403).end(`you sent ${got.headers.authorization}`)
    const auth = { basic: { user: '{{name}}', password: 'geheim-é' } }
    const { got, events, failed } = await fetched(refuses, [{ auth }], { name: 'ada' })
    expect(failed).toBeUndefined()
    const pair = Buffer.from('ada:geheim-é').toString('base64')
    expect(got[0]?.headers.authorization).toBe(`Basic ${pair}`)
    const told = JSON.stringify(events.filter(({ type }) => type === 'runtime.fetch.failed'))
    expect(told).toContain('you sent Basic REDACTED')
    expect(told).not.toContain(pair)
  })

  test('leaves a header of the automation’s own alone', async () => {
    const headers = { Authorization: 'Own it' }
    const { got } = await fetched(ok, [{ headers, auth: { basic: { user: 'a', password: 'b' } } }])
    expect(got[0]?.headers.authorization).toBe('Own it')
  })

  test.each([{ basic: {} }, { awsv4: {} }, { oauth2: { tokenUrl: '', clientId: '' } }, {}, null])(
    'is nobody where nothing is said: %j',
    async (auth) => {
      const { got, failed } = await fetched(ok, [{ auth }])
      expect(failed).toBeUndefined()
      expect(got[0]?.headers.authorization).toBeUndefined()
    },
  )
})

describe('awsv4', () => {
  const auth = {
    awsv4: {
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI',
      service: 'execute-api',
      region: 'eu-west-1',
    },
  }
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

  test('signs what is sent, so that the other side finds the same signature', async () => {
    const { got } = await fetched(ok, [{ method: 'post', body: { a: 1 }, query: { b: 'c d' }, auth }])
    const [{ headers, text } = {} as never] = got
    expect(text).toBe('{"a":1}')
    const shown = String(headers.authorization)
    const [, day = ''] =
      /Credential=AKIDEXAMPLE\/(\d{8})\/eu-west-1\/execute-api\/aws4_request,/.exec(shown) ?? []
    const [, names = '', signature] = /SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/.exec(shown) ?? []
    const sha = (data: string) => createHash('sha256').update(data).digest('hex')
    const canonical = [
      'POST',
      '/api',
      'b=c%20d',
      ...names.split(';').map((name) => `${name}:${headers[name]}`),
      '',
      names,
      headers['x-amz-content-sha256'] ?? sha(text),
    ].join('\n')
    const scope = `${day}/eu-west-1/execute-api/aws4_request`
    const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha(canonical)].join('\n')
    const key = ['eu-west-1', 'execute-api', 'aws4_request'].reduce(
      (found: Buffer, part) => hmac(found, part),
      hmac('AWS4wJalrXUtnFEMI', day),
    )
    expect(signature).toBe(hmac(key, toSign).toString('hex'))
  })
})

describe('oauth2', () => {
  const client = { tokenUrl: '$outside/token', clientId: 'my app', clientSecret: 'p:w', scope: 'read' }

  /** Gives the tokens `t1`, `t2` … and answers with the one it was shown. */
  function tokens(given: Fields = {}): Answers {
    let count = 0
    return (got, response) => {
      if (!asksForToken(got)) return response.end(got.headers.authorization)
      count += 1
      return json(response, { access_token: `t${count}`, expires_in: 3600, ...given })
    }
  }

  test('asks for a token once, and shows it with each request', async () => {
    const { output, got } = await fetched(tokens(), [
      { auth: { oauth2: client } },
      { auth: { oauth2: client } },
    ])
    expect(output).toEqual(['Bearer t1', 'Bearer t1'])
    const asked = got.filter(asksForToken)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ method: 'POST', text: 'grant_type=client_credentials&scope=read' })
    expect(asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from('my+app:p%3Aw').toString('base64')}`)
  })

  test('sends the client in the body where the server wants it there', async () => {
    const { got } = await fetched(tokens(), [{ auth: { oauth2: { ...client, sendsIn: 'body' } } }])
    expect(got[0]?.headers.authorization).toBeUndefined()
    expect(got[0]?.text).toBe('grant_type=client_credentials&scope=read&client_id=my+app&client_secret=p%3Aw')
  })

  test('asks anew for another client, for a token that ends at once, and when a token is refused', async () => {
    const other = { ...client, scope: 'write' }
    const both = await fetched(tokens(), [{ auth: { oauth2: client } }, { auth: { oauth2: other } }])
    expect(both.output).toEqual(['Bearer t1', 'Bearer t2'])
    const brief = { auth: { oauth2: client } }
    expect((await fetched(tokens({ expires_in: 1 }), [brief, brief])).output).toEqual([
      'Bearer t1',
      'Bearer t2',
    ])
    const answers = tokens()
    const refuses: Answers = (got, response, count) => {
      if (got.headers.authorization === 'Bearer t1') response.statusCode = 401
      return answers(got, response, count)
    }
    expect((await fetched(refuses, [brief, brief])).output).toEqual(['Bearer t1', 'Bearer t2'])
  })

  test.each([
    ['refuses', 400, '{}', /gave no token for the client \(400\)\.$/],
    ['says nothing of use', 200, '{"access_token":5}', /answered without an access token\.$/],
  ])('is a failure that the run can read where the token server %s', async (_, status, text, message) => {
    const answers: Answers = (_got, response) => response.writeHead(status).end(text)
    const { output, got } = await fetched(answers, [{ auth: { oauth2: client } }])
    expect(output).toEqual([{ error: { name: 'TokenRefused', message: expect.stringMatching(message) } }])
    expect(got.map(({ url }) => url)).toEqual(['/token'])
  })
})

describe('multipart', () => {
  const parse = async (text: string, type: unknown) =>
    await new Response(text, { headers: { 'content-type': String(type) } }).formData()

  test('sends fields and files', async () => {
    const multipart = [
      { fieldname: 'note', value: 'for {{who}}' },
      { fieldname: 'count', value: 7 },
      { fieldname: 'order', value: { id: 1 }, contentType: 'application/json' },
      { fieldname: 'logo', value: 'data:image/svg+xml;base64,PHN2Zy8+', filename: 'logo.svg' },
      { fieldname: 'upload', value: '{{file}}' },
    ]
    const file = {
      originalname: 'a.txt',
      mimetype: 'text/plain',
      base64: Buffer.from('hello').toString('base64'),
    }
    const fields = { method: 'post', multipart, headers: { 'Content-Type': 'multipart/form-data' } }
    const { got, failed } = await fetched(ok, [fields], { who: 'Ada', file })
    expect(failed).toBeUndefined()
    expect(got[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    const form = await parse(got[0]?.text ?? '', got[0]?.headers['content-type'])
    expect([form.get('note'), form.get('count')]).toEqual(['for Ada', '7'])
    expect(form.get('order')).toBe('{"id":1}')
    expect(got[0]?.text).toMatch(/name="order"\r\nContent-Type: application\/json\r\n\r\n/)
    const logo = form.get('logo') as File
    expect([logo.name, logo.type, await logo.text()]).toEqual(['logo.svg', 'image/svg+xml', '<svg/>'])
    const upload = form.get('upload') as File
    expect([upload.name, upload.type, await upload.text()]).toEqual(['a.txt', 'text/plain', 'hello'])
  })

  test('comes to a URL trigger as it was meant: texts as texts, files as files', async () => {
    const multipart = [
      { fieldname: 'note', value: 'a text' },
      { fieldname: 'count', value: 7 },
      { fieldname: 'isNew', value: false },
      { fieldname: 'order', value: { id: 1 } },
      { fieldname: 'typed', value: '<a/>', contentType: 'application/xml' },
      { fieldname: 'named', value: 'in a file', filename: 'a.txt' },
    ]
    const { got } = await fetched(ok, [{ method: 'post', multipart }])
    const bytes = Buffer.from(got[0]?.text ?? '')
    expect(await readBody(bytes, String(got[0]?.headers['content-type']), 1000)).toEqual({
      note: 'a text',
      count: '7',
      isNew: 'false',
      order: '{"id":1}',
      typed: '<a/>',
      named: expect.objectContaining({ originalname: 'a.txt', mimetype: 'text/plain', size: 9 }),
    })
  })

  test('is refused where a field has no name, or there are too many', async () => {
    const unnamed = await fetched(ok, [{ method: 'post', multipart: '{{parts}}' }], { parts: [{ value: 1 }] })
    expect(unnamed.failed?.message).toBe('fetch.multipart[0].fieldname is missing.')
    const parts = Array.from({ length: 101 }, () => ({ fieldname: 'a', value: 1 }))
    const many = await fetched(ok, [{ method: 'post', multipart: '{{parts}}' }], { parts })
    expect(many.failed?.message).toBe('fetch.multipart may have 100 fields.')
  })
})
