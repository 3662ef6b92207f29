import { randomBytes } from 'node:crypto'
import { openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/*
 * What a process writes while it works, for the one that started it: bytes in memory that outlive it. The file has no
 * name any more when the process begins, so nothing of it stays behind, whoever dies.
 */

/** How often the event loop of a process says that it turns. */
export const BEAT_MS = 50

const BEATS_AT = 0
const NAME_AT = 8
const NAME_MAX = 120
const MARKER_AT = NAME_AT + 2 + NAME_MAX
const MARKER_MAX = 1900
const SIZE = MARKER_AT + 2 + MARKER_MAX

/** A file in memory where there is such a place, else among the temporary ones. Answers its descriptor. */
export function openBlackBox(): number {
  let reason: unknown
  for (const directory of ['/dev/shm', tmpdir()]) {
    try {
      const path = join(directory, `platform-${randomBytes(8).toString('hex')}`)
      const descriptor = openSync(path, 'wx+', 0o600)
      unlinkSync(path)
      writeSync(descriptor, Buffer.alloc(SIZE), 0, SIZE, 0)
      return descriptor
    } catch (error) {
      reason = error
    }
  }
  throw reason
}

/** What a process has left behind. */
export interface Left {
  /** Counts up for as long as its event loop turns. */
  readonly beats: number
  /** What it was known by to others. */
  readonly name: string
  /** What it was doing. */
  readonly marker: string
}

export function readBlackBox(descriptor: number): Left {
  const bytes = Buffer.alloc(SIZE)
  readSync(descriptor, bytes, 0, SIZE, 0)
  return {
    beats: bytes.readUInt32LE(BEATS_AT),
    name: textAt(bytes, NAME_AT, NAME_MAX),
    marker: textAt(bytes, MARKER_AT, MARKER_MAX),
  }
}

const beatBytes = Buffer.alloc(4)

/** Only whether it is alive; asked twenty times a second. */
export function readBeats(descriptor: number): number {
  readSync(descriptor, beatBytes, 0, 4, BEATS_AT)
  return beatBytes.readUInt32LE(0)
}

const textAt = (bytes: Buffer, at: number, max: number): string =>
  bytes.toString('utf8', at + 2, at + 2 + Math.min(bytes.readUInt16LE(at), max))

/** The side of the process that writes. A write takes about 2 µs. */
export class BlackBox {
  readonly #descriptor: number
  readonly #bytes = Buffer.alloc(2 + MARKER_MAX)
  #beats = 0
  #beatAgainAt = Number.NEGATIVE_INFINITY

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  beat(): void {
    this.#beats = (this.#beats + 1) % 2 ** 32
    this.#bytes.writeUInt32LE(this.#beats, 0)
    writeSync(this.#descriptor, this.#bytes, 0, 4, BEATS_AT)
  }

  /** For who may come here often, at this time of `performance.now()`: beats when that is due. */
  beatAgain(now: number): void {
    if (now - this.#beatAgainAt < BEAT_MS) return
    this.#beatAgainAt = now
    this.beat()
  }

  name(name: string): void {
    this.#write(name, NAME_AT, NAME_MAX)
  }

  /** Longer texts are cut. */
  mark(marker: string): void {
    this.#write(marker, MARKER_AT, MARKER_MAX)
  }

  #write(text: string, at: number, max: number): void {
    const length = this.#bytes.write(text, 2, max)
    this.#bytes.writeUInt16LE(length, 0)
    writeSync(this.#descriptor, this.#bytes, 0, 2 + length, at)
  }
}
