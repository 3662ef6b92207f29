import { z } from 'zod'

/** What keeps a backup from being made, read or restored; its message is a sentence with the remedy. */
export class BackupProblem extends Error {
  override readonly name = 'BackupProblem'
}

/** The file is not what was written: cut off, changed, or put together anew. */
export const damaged = (what: string, cause?: unknown): BackupProblem =>
  new BackupProblem(`The backup is damaged: ${what}. Take another copy of it.`, { cause })

/** Grows when an older program could not read what a newer one writes. */
const FORMAT = 1
/** The first entry is `manifest.json`: what the backup holds, and what it takes to restore it. */
export const MANIFEST = 'manifest.json'
/** The last one is `end.json`, with the sums: without it the backup is not whole. */
export const END = 'end.json'

const name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/)
const table = z.string().regex(/^[a-z][a-z0-9_]{0,62}\.[a-z][a-z0-9_]{0,62}$/)
const uuid = "'[0-9a-f-]{36}'"

const manifest = z.object({
  platformBackup: z.literal(FORMAT),
  platform: z.string(),
  createdAt: z.iso.datetime(),
  postgres: z.int(),
  schemas: z.array(z.object({ name, migrations: z.array(z.string().regex(/^\d{4}_[a-z0-9_]+$/)) })),
  /** In the order in which they can be filled: a table comes after those it refers to. */
  tables: z.array(
    z.object({
      name: table,
      columns: z.array(name),
      partitions: z.array(
        z.object({
          name,
          // It becomes SQL when it is restored, so it is no more than the bounds of ids.
          bounds: z.string().regex(new RegExp(`^FOR VALUES FROM \\(${uuid}\\) TO \\(${uuid}\\)$`)),
        }),
      ),
    }),
  ),
  sequences: z.array(z.object({ name: table, value: z.union([z.int(), z.string().regex(/^\d+$/)]) })),
  /** How many files the tables refer to. */
  files: z.int(),
  /** Those that sealed something in the tables; a fingerprint tells two keys apart and nothing about either. */
  masterKeys: z.array(z.object({ id: z.string(), fingerprint: z.string() })),
})

/** What a backup holds. */
export type Manifest = z.output<typeof manifest>
export type BackupTable = Manifest['tables'][number]

const sums = { bytes: z.int(), sha256: z.string() }

const end = z.object({
  tables: z.array(z.object({ name: table, rows: z.int(), ...sums })),
  files: z.object({ count: z.int(), missing: z.int(), ...sums }),
})

/** What was written: counts and sums. */
export type End = z.output<typeof end>

/** Reads the manifest. Throws BackupProblem for that of a newer program, and for what is none. */
export function readManifest(bytes: Buffer): Manifest {
  const found = parse(bytes, MANIFEST)
  const { platformBackup } = (found ?? {}) as { platformBackup?: unknown }
  if (typeof platformBackup === 'number' && platformBackup > FORMAT)
    throw new BackupProblem(
      `The backup has format ${platformBackup} and this version reads ${FORMAT}: use the version that made it.`,
    )
  return valid(manifest, found, MANIFEST)
}

/** Reads the sums. */
export const readEnd = (bytes: Buffer): End => valid(end, parse(bytes, END), END)

function parse(bytes: Buffer, entry: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw damaged(`${entry} is no JSON`, cause)
  }
}

function valid<Schema extends z.ZodType>(schema: Schema, found: unknown, entry: string): z.output<Schema> {
  const { success, data, error } = schema.safeParse(found)
  if (success) return data
  throw damaged(`${entry} is not as it was written (${error.issues[0]?.path.join('.')})`, error)
}
