import { Failure } from '@platform/kernel'
import { applyPatch as applyUnified, createTwoFilesPatch, parsePatch } from 'diff'

/** No text may hold others up for longer. */
const LONGEST_MS = 40
/** Places where a part of a patch is tried. */
const MOST_TRIES = 2_000_000

interface Compared {
  readonly from: string
  readonly to: string
  readonly context?: number | undefined
  readonly fromName?: string | undefined
  readonly toName?: string | undefined
}

/** Two texts compared line by line. */
export function diff({ from, to, context = 3, fromName = 'before', toName = 'after' }: Compared) {
  if (from === to) return { patch: '', added: 0, removed: 0 }
  const options = { context, timeout: LONGEST_MS }
  const patch: string | undefined = createTwoFilesPatch(fromName, toName, from, to, '', '', options)
  if (patch === undefined)
    throw new Failure(
      'InvalidArgumentsError',
      'The texts differ too much to be compared: compare parts of them.',
    )
  const lines = parsePatch(patch).flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines))
  const countOf = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  return { patch, added: countOf('+'), removed: countOf('-') }
}

interface Patched {
  readonly content: string
  readonly patch: string
  readonly fuzz?: number | undefined
}

/** A text with the changes of a unified diff. */
export function applyPatch({ content, patch, fuzz = 0 }: Patched): string {
  if (patch.trim() === '') return content
  const [parsed, ...others] = readPatch(patch)
  if (parsed === undefined || parsed.hunks.length === 0 || others.length > 0)
    throw new Failure('InvalidArgumentsError', 'The patch is no unified diff of one text.')
  const lines = content.split('\n').length
  if (lines * parsed.hunks.length * (fuzz + 1) > MOST_TRIES)
    throw new Failure(
      'PayloadTooLarge',
      'The patch has too many parts for a text of so many lines: apply it in parts.',
    )
  const patched = applyUnified(content, parsed, { fuzzFactor: fuzz })
  if (patched !== false) return patched
  throw new Failure('InvalidArgumentsError', 'The patch does not fit the text: make it anew from this text.')
}

function readPatch(patch: string): ReturnType<typeof parsePatch> {
  try {
    return parsePatch(patch)
  } catch {
    return []
  }
}
