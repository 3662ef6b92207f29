import { setTimeout as pause } from 'node:timers/promises'
import { decodeProtectedHeader } from 'jose'
import { expect } from 'vitest'
import { type Answer, call } from './caller.ts'
import type { Outcome } from './load.ts'

const TOKENS_PER_KEY = 6

const kidOf = (token: string) => decodeProtectedHeader(token).kid ?? ''

/** A store may be too busy for a moment: that is told as 503, and asked again. */
export async function patiently(ask: () => Promise<Answer>) {
  let answer = await ask()
  for (let attempt = 0; answer.status === 503 && attempt < 20; attempt += 1) {
    await pause(200)
    answer = await ask()
  }
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

/** Tokens by the key that signed them, from both gateways, and when each key was removed. */
export class Tokens {
  readonly live: string[] = []
  readonly removedAt = new Map<string, number>()
  readonly #origins: readonly string[]
  #turn = 0

  constructor(origins: readonly string[]) {
    this.#origins = origins
  }

  next(): string {
    this.#turn += 1
    return this.live[this.#turn % this.live.length] ?? ''
  }

  /** Signs visitors in; the tokens of keys that are gone make room. */
  async refill(): Promise<void> {
    const made = await Promise.all(
      Array.from({ length: TOKENS_PER_KEY }, async (_, at) => {
        const login = () => call(this.#origins[at % 2] ?? '', 'POST', '/v2/login/anonymous')
        return (await patiently(login)).token as string
      }),
    )
    const kept = this.live.filter((token) => !this.removedAt.has(kidOf(token)))
    this.live.splice(0, this.live.length, ...kept.slice(-100), ...made)
  }

  of(kid: string): string | undefined {
    return this.live.find((token) => kidOf(token) === kid)
  }
}

/** What went wrong: refusals of keys that are there, and anything that is neither an answer nor a refusal. */
export class Judge {
  verified = 0
  unavailable = 0
  readonly wrong: string[] = []
  readonly #tokens: Tokens

  constructor(tokens: Tokens) {
    this.#tokens = tokens
  }

  readonly hear = (outcome: Outcome) => {
    const removedAt = this.#tokens.removedAt.get(kidOf(outcome.token))
    if (outcome.status === 403 || outcome.status === 404) this.verified += 1
    else if (outcome.status === 503) this.unavailable += 1
    else if (outcome.status !== 401 || removedAt === undefined)
      this.wrong.push(
        `${outcome.status} for ${kidOf(outcome.token)} after ${Math.round(outcome.endedAt - outcome.startedAt)} ms`,
      )
  }
}
