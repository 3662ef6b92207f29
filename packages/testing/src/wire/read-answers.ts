/** One answer as it stood on the wire. */
export interface WireAnswer {
  status: number
  /** Lower case names; of a repeated header all values, with a comma between. */
  headers: Readonly<Record<string, string>>
  body: string
}

/** Everything a connection has received. */
export interface Received {
  /** Final answers; interim ones (1xx) are left out. */
  answers: WireAnswer[]
  /** Bytes behind the last whole answer. */
  rest: string
}

/** Takes received bytes apart. `isHead` says of the answer with this number that it has no body. */
export function readAnswers(bytes: string, isHead: (index: number) => boolean): Received {
  const answers: WireAnswer[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return { answers, rest }
    const head = readHead(rest.slice(0, end))
    const behind = rest.slice(end + 4)
    if (head.status >= 100 && head.status < 200) {
      rest = behind
      continue
    }
    const body = isHead(answers.length) ? whole('', behind) : readBody(head, behind)
    if (body === undefined) return { answers, rest }
    answers.push({ ...head, body: body.text })
    rest = body.rest
  }
}

function readHead(text: string): Omit<WireAnswer, 'body'> {
  const [statusLine = '', ...lines] = text.split('\r\n')
  const headers: Record<string, string> = {}
  for (const one of lines) {
    const colon = one.indexOf(':')
    const name = one.slice(0, colon).toLowerCase()
    const value = one.slice(colon + 1).trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  return { status: /^HTTP\/1\.[01] \d{3}/.test(statusLine) ? Number(statusLine.slice(9, 12)) : 0, headers }
}

const whole = (text: string, rest: string) => ({ text, rest })

/** Undefined while bytes are missing. */
function readBody({ status, headers }: Omit<WireAnswer, 'body'>, bytes: string) {
  if (status === 204 || status === 304) return whole('', bytes)
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes)
  const length = Number(headers['content-length'] ?? 0)
  return bytes.length < length ? undefined : whole(bytes.slice(0, length), bytes.slice(length))
}

function readChunks(bytes: string) {
  let rest = bytes
  let text = ''
  for (;;) {
    const end = rest.indexOf('\r\n')
    const size = Number.parseInt(rest, 16)
    if (end < 0 || rest.length < end + size + 4) return undefined
    text += rest.slice(end + 2, end + 2 + size)
    rest = rest.slice(end + size + 4)
    if (size === 0) return whole(text, rest)
  }
}
