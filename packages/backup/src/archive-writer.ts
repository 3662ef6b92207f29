import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { pack } from 'tar-stream'
import { type Encryption, encrypted } from './encryption.ts'

/** Whoever adds waits until what was added is on its way, so that no more than a few entries are in memory. */
export interface ArchiveWriter {
  add(name: string, bytes: Buffer): Promise<void>
  /** Resolves when the target has all of it, with the bytes it was given. */
  finish(): Promise<number>
  /** Gives up; the target is closed without an end. */
  abandon(error: Error): Promise<void>
}

const compression = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } }

/** A tar file, compressed by zstd and perhaps encrypted by age: `age -d | zstd -d | tar t` shows what it holds. */
export function archiveWriter(target: Writable, encryption: Encryption | undefined): ArchiveWriter {
  const tar = pack()
  const written = { bytes: 0 }
  const stages =
    encryption === undefined ? (plain: AsyncIterable<Uint8Array>) => plain : encrypted(encryption)
  const source = Readable.from(tar, { objectMode: false })
  const flowing = pipeline(
    source,
    createZstdCompress(compression),
    stages,
    async function* count(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        written.bytes += chunk.byteLength
        yield chunk
      }
    },
    target,
  )
  // One place for who waits: a promise that is raced again and again would keep all that was ever added.
  const waiting: { giveUp?: (error: unknown) => void; failure?: unknown } = {}
  const over = (failure: unknown) => {
    waiting.failure = failure
    waiting.giveUp?.(failure)
  }
  flowing.then(() => over(new Error('The archive ended before its last entry.')), over)
  return {
    add: (name, bytes) =>
      new Promise<void>((resolve, reject) => {
        waiting.giveUp = reject
        if (waiting.failure !== undefined) return reject(waiting.failure)
        const done = (error?: Error | null) => (error ? reject(error) : resolve())
        tar.entry({ name, size: bytes.byteLength }, done).end(bytes)
      }),
    async finish() {
      tar.finalize()
      await flowing
      return written.bytes
    },
    async abandon(error) {
      source.destroy(error)
      await flowing.catch(() => undefined)
    },
  }
}
