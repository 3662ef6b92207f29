import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownCertificate } from '@platform/testing/certificates'
import PostalMime from 'postal-mime'
import type { SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, test } from 'vitest'
import { startMailServer } from '../test/testing.ts'
import { openMailer } from './open-mailer.ts'

const from = 'Platform <no-reply@example.com>'
const mail = {
  to: 'ada@example.com',
  subject: 'Bonjour à tous ✓',
  text: 'Un lien :\nhttps://x.example/?token=abc\n',
  html: '<p>é &amp; ✓</p>',
}
const log = { warn: () => undefined }

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

const startServer = async (options: SMTPServerOptions = {}) => stack.use(await startMailServer(options))
const mailerTo = (url: string, changed = {}) => stack.use(openMailer({ url, from, log, ...changed }))

describe('through SMTP', () => {
  test('a message arrives as it was written, in both forms', async () => {
    const { port, received } = await startServer()
    await mailerTo(`smtp://127.0.0.1:${port}`).send(mail)
    expect(received).toHaveLength(1)
    const [arrived] = received
    expect(arrived).toMatchObject({ from: 'no-reply@example.com', to: ['ada@example.com'] })
    const parsed = await new PostalMime().parse(arrived?.raw ?? '')
    expect(parsed).toMatchObject({
      subject: mail.subject,
      from: { name: 'Platform', address: 'no-reply@example.com' },
      to: [{ address: 'ada@example.com' }],
    })
    expect(parsed.text?.trim()).toBe(mail.text.trim())
    expect(parsed.html?.trim()).toBe(mail.html)
    expect(parsed.headers).toContainEqual(
      expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
    )
  })

  test.each([
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com, eve@example.com',
    'Ada <ada@example.com>',
    'ada@example.com\u0000',
    'nobody',
    `${'a'.repeat(250)}@example.com`,
  ])('the recipient %j is refused for good, and nothing is sent', async (to) => {
    const { port, received } = await startServer()
    const sent = mailerTo(`smtp://127.0.0.1:${port}`).send({ ...mail, to })
    await expect(sent).rejects.toMatchObject({ name: 'MailError', permanent: true })
    expect(received).toHaveLength(0)
  })

  test('a subject can’t add a header', async () => {
    const { port, received } = await startServer()
    const subject = 'Hello\r\nBcc: eve@example.com\u2028\nX-Evil: 1'
    await mailerTo(`smtp://127.0.0.1:${port}`).send({ ...mail, subject })
    expect(received[0]?.to).toEqual(['ada@example.com'])
    const { headers } = await new PostalMime().parse(received[0]?.raw ?? '')
    expect(headers.map(({ key }) => key)).not.toContain('bcc')
    expect(headers.map(({ key }) => key)).not.toContain('x-evil')
  })

  test('signs in to the server', async () => {
    const seen: unknown[] = []
    const { port, received } = await startServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth(auth, _session, done) {
        seen.push([auth.username, auth.password])
        done(null, { user: auth.username })
      },
    })
    const credentials = `${encodeURIComponent('user@x')}:${encodeURIComponent('p@ss:/?#')}`
    await mailerTo(`smtp://${credentials}@127.0.0.1:${port}`).send(mail)
    expect(seen).toEqual([['user@x', 'p@ss:/?#']])
    expect(received).toHaveLength(1)
  })

  test('a certificate nobody vouches for is not accepted', async () => {
    const { port, received } = await startServer({ secure: true })
    const sent = mailerTo(`smtps://127.0.0.1:${port}`).send(mail)
    await expect(sent).rejects.toMatchObject({ name: 'MailError', permanent: false })
    expect(received).toHaveLength(0)
  })

  test('STARTTLS is used where it is offered, with the same check', async () => {
    const { port, received } = await startServer({ disabledCommands: [] })
    const sent = mailerTo(`smtp://127.0.0.1:${port}`).send(mail)
    await expect(sent).rejects.toMatchObject({ name: 'MailError', permanent: false })
    expect(received).toHaveLength(0)
  })

  test('a certificate somebody vouches for is, from the first byte and by STARTTLS', async () => {
    const { key, cert } = ownCertificate()
    const [secure, upgraded] = [
      await startServer({ secure: true, key, cert }),
      await startServer({ disabledCommands: [], key, cert }),
    ]
    await mailerTo(`smtps://127.0.0.1:${secure.port}`, { ca: cert }).send(mail)
    await mailerTo(`smtp://127.0.0.1:${upgraded.port}`, { ca: cert }).send(mail)
    expect([...secure.received, ...upgraded.received].map((arrived) => arrived.secure)).toEqual([true, true])
  })

  test('a refused recipient is permanent, a busy server is not, and neither sentence names anybody', async () => {
    const answering = (responseCode: number) =>
      startServer({
        onRcptTo: (address, _session, done) =>
          done(Object.assign(new Error(`no ${address.address}`), { responseCode })),
      })
    const refusing = await answering(550)
    const busy = await answering(451)
    const refused = mailerTo(`smtp://127.0.0.1:${refusing.port}`).send(mail)
    await expect(refused).rejects.toMatchObject({
      permanent: true,
      message: 'The mail server did not take the message (answer 550).',
    })
    const later = mailerTo(`smtp://127.0.0.1:${busy.port}`).send(mail)
    await expect(later).rejects.toMatchObject({
      permanent: false,
      message: 'The mail server did not take the message (answer 451).',
    })
  })

  test('nobody waits longer than the time-out for a server that is silent or not there', async () => {
    const silent = createServer(() => undefined)
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    stack.defer(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    const before = performance.now()
    const sent = mailerTo(`smtp://127.0.0.1:${port}`, { timeoutMs: 300 }).send(mail)
    await expect(sent).rejects.toMatchObject({ permanent: false })
    expect(performance.now() - before).toBePrompt(3000)
    const nobody = mailerTo('smtp://127.0.0.1:9', { timeoutMs: 300 }).send(mail)
    await expect(nobody).rejects.toMatchObject({ permanent: false })
  })
})

describe('into a directory', () => {
  test('a message is a file only its owner can read, and the log names the file alone', async () => {
    const base = await mkdtemp(join(tmpdir(), 'mail-'))
    stack.defer(() => rm(base, { recursive: true }))
    const directory = join(base, 'mail')
    const lines: unknown[] = []
    const mailer = stack.use(openMailer({ directory, from, log: { warn: (...line) => lines.push(line) } }))
    expect(mailer.driver).toBe('directory')
    await mailer.send(mail)
    const [file = ''] = await readdir(directory)
    expect(file).toMatch(/^[\dTZ-]+-[0-9a-f]{8}\.eml$/)
    expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600)
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    const parsed = await new PostalMime().parse(await readFile(join(directory, file)))
    expect(parsed).toMatchObject({ subject: mail.subject, html: expect.stringContaining('é') })
    expect(JSON.stringify(lines)).toContain(file)
    expect(JSON.stringify(lines)).not.toMatch(/token|ada@/)
  })

  test('a directory that can’t be made is told', async () => {
    const mailer = stack.use(openMailer({ directory: '/dev/null/mail', from, log }))
    await expect(mailer.send(mail)).rejects.toMatchObject({
      permanent: false,
      message: expect.stringContaining('/dev/null/mail'),
    })
  })
})

test('without a server and a directory nothing opens, nor with a sender that is no address', () => {
  expect(() => openMailer({ from, log })).toThrow(/SMTP_HOST/)
  expect(() => openMailer({ from: 'nobody', directory: '/tmp/x', log })).toThrow(/EMAIL_FROM/)
  expect(() => openMailer({ from: 'a@b\r\nBcc: c@d', directory: '/tmp/x', log })).toThrow(/EMAIL_FROM/)
})
