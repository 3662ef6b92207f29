import { hash } from 'node:crypto'
import type { RateLimitArguments } from '@platform/contracts'
import { Break } from '../automations/automation-failure.ts'
import type { Frame } from '../automations/model.ts'
import { type Instruction, invalidInstruction, isFalse, type StepContext } from './instruction.ts'

/** Longest window, in seconds. */
const MAX_WINDOW = 31 * 86_400
const MAX_LIMIT = 1_000_000_000
const MAX_NAME = 1000

/** rateLimit: counts a use within a window that slides; ends the automation where the limit is reached. */
export const rateLimit: Instruction<RateLimitArguments> = {
  name: 'rateLimit',
  compile(args, { texts, path }) {
    const readUse = useReader(args, texts)
    const readBreak = texts.reader(args.break)
    const write = texts.writer(args.output)
    return async (frame) => {
      const use = readUse(frame)
      frame.observed?.input(use)
      const taken = await frame.run.fromOutside(frame, path, () => take(frame, use))
      frame.observed?.output(taken)
      write(frame, taken)
      if (!taken.ok && !isFalse(readBreak(frame))) throw new Break('automation', undefined)
    }
  },
}

/** One use of a limit; times in seconds. */
interface Use {
  readonly name: string
  readonly consumer: string
  readonly window: number
  readonly limit: number
  readonly consume: number
}

function useReader(args: RateLimitArguments, texts: StepContext['texts']): (frame: Frame) => Use {
  const name = texts.reader(args.name)
  const consumer = texts.reader(args.consumer)
  const window = texts.reader(args.window)
  const limit = texts.reader(args.limit)
  const consume = texts.reader(args.consume ?? 1)
  return (frame) => ({
    name: textOf('name', name(frame)),
    consumer: textOf('consumer', consumer(frame)),
    window: numberOf('window', window(frame), 0.001, MAX_WINDOW),
    limit: numberOf('limit', limit(frame), 0, MAX_LIMIT),
    consume: numberOf('consume', consume(frame), 0, MAX_LIMIT),
  })
}

/** Without a name of its own, everybody who has none would share one limit. */
function textOf(field: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (text !== '' && text.length <= MAX_NAME) return text
  throw invalidInstruction(
    `rateLimit.${field} must be a text of 1 to ${MAX_NAME} characters: is a variable empty?`,
  )
}

function numberOf(field: string, value: unknown, min: number, max: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number === 'number' && number >= min && number <= max) return number
  throw invalidInstruction(`rateLimit.${field} must be a number from ${min} to ${max}.`)
}

/** What `output` gets. */
async function take(
  { run }: Frame,
  { name, consumer, window, limit, consume }: Use,
): Promise<{ readonly ok: boolean } & Readonly<Record<string, unknown>>> {
  const key = keyOf([run.workspace.id, name, consumer])
  const { isTaken, used, waitMs } = await run.limits.take(key, {
    windowMs: window * 1000,
    limit,
    amount: consume,
  })
  return {
    ok: isTaken,
    retryAfter: Math.ceil(waitMs / 1000),
    limit,
    remaining: Math.max(0, limit - used),
    window,
    consumer,
  }
}

/** A cache is no place for names of people, and a text of any length may be one. */
const keyOf = (parts: readonly string[]): string =>
  `automation-limit:${hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 32)}`
