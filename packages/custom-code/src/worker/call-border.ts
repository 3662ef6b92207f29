import { createHash, randomFillSync } from 'node:crypto'
import type { FunctionLogLevel } from '../custom-code.ts'
import type { ServicePipe } from './service-pipe.ts'

const DIGESTS: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
}
/** Timers of one call at once. */
const MOST_TIMERS = 1000
const LEVELS = ['debug', 'info', 'warn', 'error'] as const

interface FetchRequest {
  readonly url: string
  readonly method: string
  readonly headers: [name: string, value: string][]
  readonly redirect: string
}

/** What one call asks from inside its isolate. Texts come and texts go; when the call has ended, nothing goes. */
export class CallBorder {
  readonly #pipe: ServicePipe
  readonly #resume: (id: number, answer: string) => void
  #timers = 0
  #isOver = false

  constructor(pipe: ServicePipe, resume: (id: number, answer: string) => void) {
    this.#pipe = pipe
    this.#resume = resume
  }

  end(): void {
    this.#isOver = true
  }

  readonly ask = (operation: unknown, text: unknown, bytes: unknown): string => {
    if (this.#isOver) throw new Error('The call has ended.')
    if (operation === 'random')
      return randomFillSync(Buffer.alloc(Math.min(Number(text), 65_536))).toString('latin1')
    const digest = DIGESTS[String(text).toUpperCase()]
    if (digest === undefined)
      throw new Error(
        `There is no digest "${String(text).slice(0, 100)}": choose SHA-1, SHA-256, SHA-384 or SHA-512.`,
      )
    return createHash(digest).update(String(bytes), 'latin1').digest().toString('latin1')
  }

  readonly begin = (given: unknown, operation: unknown, text: unknown, bytes: unknown): void => {
    if (this.#isOver) return
    const id = Number(given)
    const settle = (answer: string) => {
      if (!this.#isOver) this.#resume(id, answer)
    }
    if (operation === 'sleep') this.#sleep(Number(text), settle)
    else
      void this.#fetched(String(text), String(bytes)).then(settle, (error: unknown) => settle(failed(error)))
  }

  readonly log = (level: unknown, text: unknown): void => {
    const known = LEVELS.find((one) => one === level) ?? ('info' satisfies FunctionLogLevel)
    if (!this.#isOver) this.#pipe.send({ said: 'log', level: known, at: Date.now() }, String(text))
  }

  /** Those beyond the most never end, and with them the call. */
  #sleep(ms: number, settle: (answer: string) => void): void {
    this.#timers += 1
    if (this.#timers > MOST_TIMERS) return
    const end = () => {
      this.#timers -= 1
      settle('')
    }
    // A turn is what is meant by nothing; a timer takes a millisecond at least, and Python waits for several turns.
    if (ms <= 0) setImmediate(end)
    else setTimeout(end, ms).unref()
  }

  async #fetched(text: string, bytes: string): Promise<string> {
    const { url, method, headers, redirect } = JSON.parse(text) as FetchRequest
    const { header, body } = await this.#pipe.fetch(
      { url, method, headers, redirect },
      Buffer.from(bytes, 'latin1'),
    )
    return `${JSON.stringify(header)}\n${body.toString('latin1')}`
  }
}

const failed = (error: unknown): string =>
  `${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`
