/** A listener that raw requests are sent to. */
export interface WireTarget {
  port: number
  /** A path that is answered for GET and POST alike, without a query; what stands below it is answered like it. */
  path: string
  /** Header lines every request needs there, each with its line end; without Host. */
  headers: string
  /** Requests are answered there without a look at their body: a chunked one ends the connection. */
  leavesBodies?: boolean
}

/** The bytes of a row, one character a byte. */
export type Bytes = (to: WireTarget) => string

/** What is known of a status: a number, or the status an ordinary GET or POST gets there. */
export type Status = number | 'get' | 'post'

/** One raw request, or several in one piece, and what may happen to it. */
export interface WireRow {
  name: string
  /** Where it is written: an RFC and its section. */
  rule: string
  /**
   * A failed security row lets requests be smuggled, split or forged; a strict row only breaks the protocol; lenient
   * rows must be taken.
   */
  kind: 'security' | 'strict' | 'lenient'
  bytes: Bytes
  /** The statuses that may be answered, in order; each entry lists those allowed for one answer. */
  answers: readonly (readonly Status[])[]
  /** The connection may also be closed before all of them are there. */
  mayBeFewer?: boolean
  /** What becomes of the connection. */
  end: 'closed' | 'kept' | 'either'
  /** The client ends its side after the bytes: they are all there will ever be. */
  isAll?: boolean
  /** Its answers have no body (HEAD). */
  isHead?: boolean
}

type Cases = readonly (readonly [name: string, bytes: Bytes, options?: Partial<WireRow>])[]
type RowRest = Omit<WireRow, 'name' | 'bytes'>

const rowsOf = (rest: RowRest, cases: Cases): WireRow[] =>
  cases.map(([name, bytes, options]) => ({ name, bytes, ...rest, ...options }))

/** Requests that must be refused once, with 400 unless said otherwise, on a connection that is then closed. */
export const refused = (rule: string, cases: Cases): WireRow[] =>
  rowsOf({ rule, kind: 'security', answers: [[400]], end: 'closed' }, cases)

/** Requests that are wrong but harmless: refused with a 4xx; the connection may live on. */
export const wrong = (rule: string, answers: readonly Status[], cases: Cases): WireRow[] =>
  rowsOf({ rule, kind: 'strict', answers: [answers], end: 'either' }, cases)

/** Requests that look unusual and are right: answered like an ordinary one, and the connection lives on. */
export const taken = (rule: string, cases: Cases): WireRow[] =>
  rowsOf({ rule, kind: 'lenient', answers: [['get', 'post']], end: 'kept' }, cases)

/** Header lines of each request. */
const ordinary = (to: WireTarget): string => `Host: gateway.example\r\n${to.headers}`

/** A GET with these further header lines. */
export const get =
  (...lines: string[]): Bytes =>
  (to) =>
    `GET ${to.path} HTTP/1.1\r\n${ordinary(to)}${lined(lines)}\r\n`

/** A POST with these further header lines and bytes behind the head. */
export const post =
  (lines: readonly string[], body: string | Bytes = ''): Bytes =>
  (to) =>
    `POST ${to.path} HTTP/1.1\r\n${ordinary(to)}${lined(lines)}\r\n${typeof body === 'string' ? body : body(to)}`

/** Any request line; `{path}` in it stands for the path of the target. */
export const line =
  (text: string, ...lines: string[]): Bytes =>
  (to) =>
    `${text.replace('{path}', to.path)}\r\n${ordinary(to)}${lined(lines)}\r\n`

/** A request line and exactly these header lines, beside those the target needs. */
export const bare =
  (text: string, ...lines: string[]): Bytes =>
  (to) =>
    `${text.replace('{path}', to.path)}\r\n${to.headers}${lined(lines)}\r\n`

/** A request nobody may ever answer: it hides in what others take for a body, or behind what closes the connection. */
export const hidden: Bytes = (to) =>
  `GET ${to.path}/smuggled HTTP/1.1\r\nHost: gateway.example\r\n${to.headers}\r\n`

/** Bytes one after the other, in one piece. */
export const joined =
  (...parts: (string | Bytes)[]): Bytes =>
  (to) =>
    parts.map((part) => (typeof part === 'string' ? part : part(to))).join('')

const lined = (lines: readonly string[]): string => lines.map((text) => `${text}\r\n`).join('')
