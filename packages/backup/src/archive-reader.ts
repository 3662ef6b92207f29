import { once } from 'node:events'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { type Extract, extract } from 'tar-stream'
import { type Opening, opened } from './encryption.ts'
import { BackupProblem, damaged } from './manifest.ts'

/** An entry of the archive with all of its bytes. */
interface ArchiveEntry {
  name: string
  bytes: Buffer
}

/** Nothing that is written is larger: rows come in parts, and files are limited by their store. */
const LARGEST_BYTES = 110_000_000

/** The entries of an archive, in the order they were written. Throws BackupProblem for what is no whole archive. */
export async function* archiveEntries(
  source: AsyncIterable<Uint8Array>,
  opening: Opening,
): AsyncGenerator<ArchiveEntry> {
  const tar = extract()
  const state: { failure?: unknown } = {}
  const flowing = pipeline(
    (): AsyncIterable<Uint8Array> => opened(source, opening),
    createZstdDecompress(),
    (chunks: AsyncIterable<Buffer>) => fed(tar, chunks),
  )
  flowing.catch((error: unknown) => {
    state.failure ??= error
    tar.destroy(error instanceof Error ? error : undefined)
  })
  try {
    for await (const entry of tar) {
      const { name, size = 0 } = entry.header
      if (size > LARGEST_BYTES) throw damaged(`${name} is larger than anything that is written`)
      const chunks: Buffer[] = []
      for await (const chunk of entry) chunks.push(chunk as Buffer)
      yield { name, bytes: Buffer.concat(chunks) }
    }
    await flowing
  } catch (error) {
    const cause = state.failure ?? error
    if (cause instanceof BackupProblem) throw cause
    throw damaged('it was cut off or changed', cause)
  } finally {
    tar.destroy()
    await flowing.catch(() => undefined)
  }
}

/** Until everything is in, or nobody takes any more. */
async function fed(tar: Extract, chunks: AsyncIterable<Buffer>): Promise<void> {
  const closed = new AbortController()
  tar.once('close', () => closed.abort())
  for await (const chunk of chunks) {
    if (!tar.write(chunk)) await once(tar, 'drain', closed).catch(() => undefined)
    if (closed.signal.aborted) return
  }
  tar.end(undefined)
}
