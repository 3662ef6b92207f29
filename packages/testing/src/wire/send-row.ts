import { once } from 'node:events'
import { connect } from 'node:net'
import { readAnswers, type WireAnswer } from './read-answers.ts'
import type { WireRow, WireTarget } from './wire-row.ts'

/** What happened to a row. */
export interface WireOutcome {
  /** The answers to the row itself, in order. */
  answers: WireAnswer[]
  closed: boolean
  /** Bytes that are no answer. */
  rest: string
  /** The server neither answered all nor closed for as long as was waited. */
  silent: boolean
}

const PATIENCE_MS = 8000

/**
 * Sends a row, waits for what it should get, then asks something ordinary on the same connection: whatever is
 * answered before that answer belongs to the row.
 */
export async function sendRow(
  row: Pick<WireRow, 'bytes' | 'answers' | 'isAll' | 'isHead'>,
  to: WireTarget,
  patienceMs: number = PATIENCE_MS,
): Promise<WireOutcome> {
  const socket = connect({ port: to.port, host: '127.0.0.1', allowHalfOpen: true })
  let bytes = ''
  let closed = false
  socket.setEncoding('latin1').on('data', (text: string) => {
    bytes += text
  })
  socket.on('error', () => {})
  for (const event of ['end', 'close'])
    socket.on(event, () => {
      closed = true
    })
  await once(socket, 'connect')
  const read = () => readAnswers(bytes, (index) => row.isHead === true && index < row.answers.length)
  const isLast = (answer: WireAnswer | undefined) => answer?.headers['x-correlation-id'] === LAST
  socket.write(Buffer.from(row.bytes(to), 'latin1'))
  if (row.isAll === true) socket.end()
  await until(() => closed || read().answers.length >= row.answers.length, patienceMs)
  if (!closed && row.isAll !== true) socket.write(lastRequest(to))
  const settled = await until(() => closed || isLast(read().answers.at(-1)), patienceMs)
  socket.destroy()
  const { answers, rest } = read()
  return {
    answers: answers.filter((answer) => !isLast(answer)),
    closed: settled && !isLast(answers.at(-1)),
    rest,
    silent: !settled,
  }
}

const LAST = 'last-request-of-the-row'

const lastRequest = (to: WireTarget): string =>
  `GET ${to.path}?last HTTP/1.1\r\nHost: gateway.example\r\n${to.headers}X-Correlation-Id: ${LAST}\r\n\r\n`

async function until(isTrue: () => boolean, patienceMs: number): Promise<boolean> {
  const giveUpAt = Date.now() + patienceMs
  while (!isTrue()) {
    if (Date.now() > giveUpAt) return false
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return true
}
