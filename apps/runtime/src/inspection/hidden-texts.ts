import { REDACTED, SecretTexts } from '@platform/logging'
import type { CompiledAutomation } from '../automations/model.ts'

/** Words of credentials from this length on are secrets by themselves: `Bearer` is none. */
const LEAST_WORD = 8
/** Shorter numbers are in everything. */
const LEAST_DIGITS = 4

/**
 * What nothing that is shown of a run may hold, wherever it went from where it came in: arguments marked `secret` or
 * `redact`, credentials of callers, and what is named like a secret in requests to others.
 */
export class HiddenTexts {
  readonly #texts = new SecretTexts()
  readonly #numbers = new Set<string>()
  /** More came than can be recognised: then nothing is shown. */
  #isTooMuch = false

  /** What is hidden of the arguments of a call. */
  addArguments({ inputs }: CompiledAutomation, payload: Readonly<Record<string, unknown>>): void {
    const redacted = inputs.redactedTexts(payload)
    if (redacted === undefined) this.#isTooMuch = true
    this.add([...inputs.secretsIn(payload), ...(redacted ?? [])])
    const { headers } = payload
    if (typeof headers !== 'object' || headers === null) return
    const { authorization } = headers as { authorization?: unknown }
    if (typeof authorization !== 'string') return
    this.add([authorization, ...authorization.split(/\s+/).filter((word) => word.length >= LEAST_WORD)])
  }

  add(texts: Iterable<string>): void {
    try {
      for (const text of texts) {
        if (text === '') continue
        this.#texts.add(text)
        if (text.length >= LEAST_DIGITS && Number.isFinite(Number(text))) this.#numbers.add(text)
      }
    } catch {
      this.#isTooMuch = true
    }
  }

  /** `value` without any of them. */
  mask(value: unknown): unknown {
    if (value === undefined) return undefined
    if (this.#isTooMuch) return REDACTED
    const masked = this.#texts.mask(value)
    return this.#numbers.size === 0 ? masked : this.#withoutNumbers(masked)
  }

  #withoutNumbers(value: unknown): unknown {
    if (typeof value === 'number') return this.#numbers.has(String(value)) ? REDACTED : value
    if (Array.isArray(value)) return value.map((item) => this.#withoutNumbers(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#withoutNumbers(item)]))
  }
}
