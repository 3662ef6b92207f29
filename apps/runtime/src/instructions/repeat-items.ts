import type { RepeatArguments } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import type { Frame } from '../automations/model.ts'
import type { FetchedStream } from '../fetches/fetched-streams.ts'
import { invalidInstruction } from './instruction.ts'
import type { Read } from './text-compiler.ts'

/** What a repeat has its rounds for. */
export interface Items {
  readonly first: Iterable<unknown>
  /** Those that come after them, of a stream; undefined at its end. */
  readonly more?: () => Promise<Iterable<unknown> | undefined>
}

/** Without `on` there are as many items as there are rounds, each its own number. */
export function itemsOf(frame: Frame, args: RepeatArguments, read: Read, path: string): Items {
  if (args.on === undefined) return { first: numbers() }
  const items = read(frame)
  frame.observed?.input(items)
  if (items === undefined || items === null) return { first: [] }
  if (Array.isArray(items)) return { first: items }
  const stream = frame.run.streams.find(items)
  if (stream !== undefined) return { first: stream.taken(), more: moreOf(frame, path, stream) }
  if (isRecord(items)) return { first: Object.entries(items).map(([key, value]) => ({ key, value })) }
  throw invalidInstruction('repeat.on must be a list, an object or a stream.')
}

function* numbers(): Generator<number> {
  for (let number = 0; ; number += 1) yield number
}

/** What comes is kept with the run; that it is read tells nobody of what the run did. */
const moreOf = (frame: Frame, path: string, stream: FetchedStream) => async () => {
  const place = { ...frame, observed: undefined }
  const part = await frame.run.fromOutside(place, path, (effect) => stream.ask(effect), { onlyReads: true })
  return stream.receive(part)
}

/** Works through the items part by part, until `work` answers that it is over. */
export async function inParts(
  { first, more }: Items,
  work: (part: Iterable<unknown>) => Promise<boolean>,
): Promise<void> {
  let part: Iterable<unknown> | undefined = first
  while (part !== undefined) {
    const isOver = await work(part)
    part = isOver || more === undefined ? undefined : await more()
  }
}
