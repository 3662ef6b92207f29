/** What the worker process offers inside. Only texts cross: no object of one side is ever seen by the other. */
export interface Border {
  /** `random` and `digest`, done at once. */
  readonly ask: (operation: string, text: string, bytes: string) => string
  /** `sleep` and `fetch`; what comes of it comes to `resume`, under the same number. */
  readonly begin: (id: number, operation: string, text: string, bytes: string) => void
  /** A line that was logged. */
  readonly log: (level: string, text: string) => void
}

/** The border of the one call of this context. */
let border: Border | undefined
const waiting = new Map<number, (answer: string) => void>()
let last = 0

export function openBorder(given: Border): void {
  border = given
  logged = 0
}

/** From here on nothing of the call reaches outside any more, and nothing that it waits for comes. */
export function closeBorder(): void {
  waiting.clear()
  border = undefined
}

export const ask: Border['ask'] = (operation, text, bytes) => {
  if (border === undefined) throw new Error('The call has ended.')
  return border.ask(operation, text, bytes)
}

/** Characters that one call logs; the service keeps fewer. */
const MOST_LOGGED = 1_000_000
let logged = 0

export const log: Border['log'] = (level, text) => {
  if (logged > MOST_LOGGED) return
  logged += text.length + 20
  border?.log(level, text)
}

/** What is still waited for when the call ends is never answered. */
export function wait(operation: string, text: string, bytes = ''): Promise<string> {
  return new Promise((resolve) => {
    last += 1
    waiting.set(last, resolve)
    border?.begin(last, operation, text, bytes)
  })
}

/** Called by the worker process. */
export function resume(id: number, answer: string): void {
  const resolve = waiting.get(id)
  waiting.delete(id)
  resolve?.(answer)
}

/** Bytes as a text of as many characters, each below 256: so they cross the border of an isolate as a plain text. */
export function textOfBytes(bytes: Uint8Array): string {
  let text = ''
  for (let from = 0; from < bytes.length; from += 8192)
    text += String.fromCharCode(...bytes.subarray(from, from + 8192))
  return text
}

export function bytesOfText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

/** The bytes behind a buffer or a view of one. */
export function bytesOf(source: ArrayBuffer | ArrayBufferView): Uint8Array {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
  return new Uint8Array(source)
}
