import { archiveEntries } from './archive-reader.ts'
import type { Opening } from './encryption.ts'
import { damaged, END, type End, MANIFEST, type Manifest, readEnd, readManifest } from './manifest.ts'
import { Sum } from './sums.ts'

/** What a backup holds, piece by piece; `end` comes only when all sums were right and the file has no more. */
export type BackupPiece =
  | { kind: 'manifest'; manifest: Manifest }
  | { kind: 'rows'; table: string; bytes: Buffer }
  | { kind: 'file'; key: string; mediaType: string; bytes: Buffer }
  | { kind: 'end'; end: End }

/** Reads a backup from its first to its last byte. Throws BackupProblem where it is not what was written. */
export async function* readBackup(
  source: AsyncIterable<Uint8Array>,
  opening: Opening,
): AsyncGenerator<BackupPiece> {
  const check = new SumCheck()
  for await (const { name, bytes } of archiveEntries(source, opening)) {
    const piece = check.piece(name, bytes)
    if (piece.kind !== 'end') yield piece
  }
  yield check.requireEnd()
}

const ROWS = /^tables\/([a-z0-9_]+\.[a-z0-9_]+)\/(\d+)$/
const FILE = /^files\/(.+)$/

/** Sees to it that pieces come in the order of the manifest, none missing, none twice, and sums them up. */
class SumCheck {
  readonly #tables = new Map<string, Sum>()
  readonly #files = new Sum()
  #isBegun = false
  #end: Extract<BackupPiece, { kind: 'end' }> | undefined
  #fileCount = 0
  /** Where the last part of rows was: the table, by its place in the manifest, and the number of the part. */
  #at = { table: -1, part: 0 }

  piece(name: string, bytes: Buffer): BackupPiece {
    if (!this.#isBegun) return this.#manifest(name, bytes)
    if (this.#end !== undefined) throw damaged('it goes on behind its end')
    if (name === END) return this.#finish(readEnd(bytes))
    const [, table, part] = ROWS.exec(name) ?? []
    if (table !== undefined) return this.#rows(table, Number(part), bytes)
    return this.#file(name, bytes)
  }

  requireEnd(): BackupPiece {
    if (this.#end !== undefined) return this.#end
    throw damaged('it ends before its end was written')
  }

  #manifest(name: string, bytes: Buffer): BackupPiece {
    if (name !== MANIFEST) throw damaged('it does not begin with a manifest')
    const manifest = readManifest(bytes)
    for (const table of manifest.tables) this.#tables.set(table.name, new Sum())
    this.#isBegun = true
    return { kind: 'manifest', manifest }
  }

  #file(name: string, bytes: Buffer): BackupPiece {
    const [, key] = FILE.exec(name) ?? []
    const end = bytes.indexOf(0x0a)
    if (key === undefined || end < 0) throw damaged(`it has an entry that nobody writes (${name})`)
    this.#files.add(bytes)
    this.#fileCount += 1
    const mediaType = bytes.toString('latin1', 0, end)
    return { kind: 'file', key, mediaType, bytes: bytes.subarray(end + 1) }
  }

  #rows(table: string, part: number, bytes: Buffer): BackupPiece {
    const place = [...this.#tables.keys()].indexOf(table)
    const expected = place === this.#at.table ? this.#at.part + 1 : 1
    if (place < this.#at.table || part !== expected)
      throw damaged(`the parts of ${table} are not in their order`)
    this.#at = { table: place, part }
    this.#tables.get(table)?.add(bytes)
    return { kind: 'rows', table, bytes }
  }

  #finish(end: End): BackupPiece {
    if (end.tables.length !== this.#tables.size) throw damaged('its end tells of other tables')
    for (const { name, ...written } of end.tables) {
      const sum = this.#tables.get(name)
      if (sum === undefined || sum.rows !== written.rows || sum.digest() !== written.sha256)
        throw damaged(`the rows of ${name} are not those that were written`)
    }
    if (this.#fileCount !== end.files.count || this.#files.digest() !== end.files.sha256)
      throw damaged('the files are not those that were written')
    this.#end = { kind: 'end', end }
    return this.#end
  }
}
