import { cutAt, Failure } from '@platform/kernel'
import { MAX_OUTPUT } from '../../contexts/value-size.ts'

const SEPARATORS = ['\n\n', '\n', ' ', '']

interface Given {
  readonly content: string | readonly string[]
  readonly chunkSize: number
  readonly chunkOverlap?: number | undefined
  readonly separators?: readonly string[] | undefined
}

/** Pieces of texts that are small enough, each at a separator as coarse as can be. */
export function splitText({
  content,
  chunkSize,
  chunkOverlap = 0,
  separators = SEPARATORS,
}: Given): string[] {
  if (chunkOverlap >= chunkSize)
    throw new Failure('InvalidArgumentsError', 'chunkOverlap must be less than chunkSize.')
  const texts = typeof content === 'string' ? [content] : content
  const pieces = new Pieces(chunkSize, chunkOverlap)
  for (const text of texts) split(text, separators, pieces)
  return pieces.all
}

function split(text: string, separators: readonly string[], pieces: Pieces): void {
  const at = separators.findIndex((one) => one === '' || text.includes(one))
  const separator = separators[at]
  // What no separator divides stays longer than it should be.
  if (separator === undefined) pieces.push(text)
  else if (separator === '') pieces.cut(text)
  else splitAt(text, separator, separators.slice(at + 1), pieces)
}

function splitAt(text: string, separator: string, finer: readonly string[], pieces: Pieces): void {
  let parts: string[] = []
  for (const part of text.split(separator)) {
    if (part.length <= pieces.size) {
      if (part !== '') parts.push(part)
      continue
    }
    pieces.merge(parts, separator)
    parts = []
    split(part, finer, pieces)
  }
  pieces.merge(parts, separator)
}

/** The pieces found so far. */
class Pieces {
  readonly all: string[] = []
  readonly size: number
  readonly #overlap: number
  #characters = 0

  constructor(size: number, overlap: number) {
    this.size = size
    this.#overlap = overlap
  }

  push(text: string): void {
    const piece = text.trim()
    if (piece === '') return
    this.#characters += piece.length + 3
    if (this.#characters > MAX_OUTPUT)
      throw new Failure(
        'PayloadTooLarge',
        'The pieces of the text have too many characters: let them overlap less.',
      )
    this.all.push(piece)
  }

  /** By characters; none is cut into halves. */
  cut(text: string): void {
    for (let at = 0; at < text.length; ) {
      const end = this.#cutBehind(text, at)
      this.push(text.slice(at, end))
      if (end >= text.length) return
      const next = cutAt(text, end - this.#overlap)
      at = next > at ? next : end
    }
  }

  /** A character that takes two positions is a piece that is too large rather than none. */
  #cutBehind(text: string, at: number): number {
    const end = cutAt(text, at + this.size)
    return end > at ? end : at + 2
  }

  /** Small parts put together to pieces as large as may be; each begins with the end of the one before. */
  merge(parts: readonly string[], separator: string): void {
    for (let first = 0; first < parts.length; ) {
      const end = this.#endOf(parts, first, separator)
      this.push(parts.slice(first, end).join(separator))
      if (end >= parts.length) return
      first = this.#nextOf(parts, first, end, separator)
    }
  }

  /** The first part that no longer fits behind those from `first` on. */
  #endOf(parts: readonly string[], first: number, separator: string): number {
    let length = parts[first]?.length ?? 0
    let end = first + 1
    for (let part = parts[end]; part !== undefined; part = parts[end]) {
      length += separator.length + part.length
      if (length > this.size) return end
      end += 1
    }
    return end
  }

  /** Where the next piece begins: as far before `end` as pieces overlap, with room for what comes. */
  #nextOf(parts: readonly string[], first: number, end: number, separator: string): number {
    const room = Math.min(this.#overlap, this.size - (parts[end]?.length ?? 0) - separator.length)
    let length = 0
    let next = end
    while (next - 1 > first) {
      length += (parts[next - 1]?.length ?? 0) + (next === end ? 0 : separator.length)
      if (length > room) return next
      next -= 1
    }
    return next
  }
}
