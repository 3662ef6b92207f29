import { readFileSync } from 'node:fs'
import {
  BackupProblem,
  createBackup,
  type End,
  type Manifest,
  readBackup,
  restoreBackup,
} from '@platform/backup'
import { EmbeddedStartError } from '@platform/database'
import { StoreError } from '@platform/kernel'
import type { Command } from 'commander'
import { counted, OpsProblem, shownTime, type Terminal } from '../terminal.ts'
import { readFile, writeFile } from './backup-file.ts'
import { progressOf, sizeOf } from './progress.ts'
import { schemas } from './schemas.ts'
import { encryptionOf, openingOf, type SecretOptions } from './secrets.ts'
import { openScratch, openStores } from './stores.ts'

type Done = (code: number) => void

const FILE = 'a file, or - for standard input'

export function addBackup(program: Command, terminal: Terminal, done: Done): void {
  const backup = program.command('backup').description('Everything the platform keeps, in one file.')
  backup
    .command('create <file>')
    .description('Write a backup while the platform runs on: to a new file, or to standard output with -.')
    .option('--recipient <key...>', 'encrypt it for these public keys of age (age1…)')
    .option('--passphrase-file <file>', 'encrypt it by the passphrase in this file; or set BACKUP_PASSPHRASE')
    .action(async (file: string, options) => done(await told(() => create(terminal, file, options))))
  backup
    .command('verify <file>')
    .description(`Read a backup to its end and check every sum: ${FILE}.`)
    .option('--key-file <file>', 'the keys of age that open it')
    .option('--passphrase-file <file>', 'the passphrase that opens it; or set BACKUP_PASSPHRASE')
    .option('--into <url>', 'also restore it into this empty database, which nobody else uses')
    .action(async (file: string, options) => done(await told(() => verify(terminal, file, options))))
  backup
    .command('restore <file>')
    .description(`Restore a backup into an empty database and an empty store of files: ${FILE}.`)
    .option('--key-file <file>', 'the keys of age that open it')
    .option('--passphrase-file <file>', 'the passphrase that opens it; or set BACKUP_PASSPHRASE')
    .action(async (file: string, options) => done(await told(() => restore(terminal, file, options))))
}

/** What operators can mend is shown to them as a sentence. */
async function told(work: () => Promise<void>): Promise<number> {
  try {
    await work()
    return 0
  } catch (error) {
    const isTheirs =
      error instanceof BackupProblem || error instanceof EmbeddedStartError || error instanceof StoreError
    throw isTheirs ? new OpsProblem(error.message) : error
  }
}

async function create(terminal: Terminal, file: string, options: SecretOptions): Promise<void> {
  const encryption = encryptionOf(terminal.env, options)
  await using stores = await openStores(terminal, { isNew: false })
  const startedAt = performance.now()
  const made = await writeFile(file, (target) =>
    createBackup(
      {
        ...stores,
        schemas: schemas.map(({ schema }) => schema),
        version: productVersion(),
        encryption,
        onProgress: progressOf(terminal, 'writing'),
      },
      target,
    ),
  )
  const summary = [
    `The backup of ${shownTime(made.manifest.createdAt)} is written in ${secondsSince(startedAt)}: ${contentOf(made)}.`,
    ...(file === '-'
      ? []
      : [`${file} has ${sizeOf(made.bytes)}${encryption === undefined ? ' and is not encrypted' : ''}.`]),
    ...lostFiles(made.end),
    ...neededKeys(made.manifest),
  ]
  // Standard output is the backup where it has no file.
  if (file === '-') terminal.complain(summary.join('\n'))
  else terminal.print(summary.join('\n'))
}

async function verify(
  terminal: Terminal,
  file: string,
  options: SecretOptions & { into?: string },
): Promise<void> {
  const startedAt = performance.now()
  const source = readFile(file)
  const opening = openingOf(terminal.env, options)
  const onProgress = progressOf(terminal, 'reading')
  if (options.into === undefined) {
    const read = await readToItsEnd(source, opening)
    terminal.print(verdictOf(read, `whole, read in ${secondsSince(startedAt)}`))
    return
  }
  await using database = await openScratch(options.into, terminal)
  const read = await restoreBackup(
    { database, files: undefined, schemas, masterKeys: [], opening, onProgress, isRehearsal: true },
    source,
  )
  terminal.print(verdictOf(read, `whole and was restored in ${secondsSince(startedAt)}`))
}

async function readToItsEnd(
  source: AsyncIterable<Uint8Array>,
  opening: ReturnType<typeof openingOf>,
): Promise<{ manifest: Manifest; end: End }> {
  let manifest: Manifest | undefined
  for await (const piece of readBackup(source, opening)) {
    if (piece.kind === 'manifest') manifest = piece.manifest
    if (piece.kind === 'end' && manifest !== undefined) return { manifest, end: piece.end }
  }
  throw new Error('A backup that was read to its end has one.')
}

const verdictOf = (read: { manifest: Manifest; end: End }, verdict: string): string =>
  [
    `The backup of ${shownTime(read.manifest.createdAt)} is ${verdict}: ${contentOf(read)}.`,
    ...lostFiles(read.end),
    ...neededKeys(read.manifest),
  ].join('\n')

async function restore(terminal: Terminal, file: string, options: SecretOptions): Promise<void> {
  const source = readFile(file)
  const opening = openingOf(terminal.env, options)
  await using stores = await openStores(terminal, { isNew: true })
  const startedAt = performance.now()
  const restored = await restoreBackup(
    { ...stores, schemas, opening, onProgress: progressOf(terminal, 'restoring') },
    source,
  )
  terminal.print(
    [
      `The state of ${shownTime(restored.manifest.createdAt)} is restored in ${secondsSince(startedAt)}: ` +
        `${contentOf(restored)}.`,
      ...lostFiles(restored.end),
      'What was revoked, removed or signed out since then is valid again: do that once more. Start the platform.',
    ].join('\n'),
  )
}

function contentOf({ manifest, end }: { manifest: Manifest; end: End }): string {
  const rows = end.tables.reduce((sum, table) => sum + table.rows, 0)
  const bytes = end.tables.reduce((sum, table) => sum + table.bytes, end.files.bytes)
  const tables = `${counted(rows, 'row')} of ${counted(end.tables.length, 'table')}`
  return `${tables} and ${counted(end.files.count, 'file')}, ${sizeOf(bytes)}, made by version ${manifest.platform}`
}

const lostFiles = ({ files }: End): string[] =>
  files.missing === 0
    ? []
    : [`Of the files that accounts refer to ${files.missing} could not be found in the store.`]

const neededKeys = ({ masterKeys }: Manifest): string[] =>
  masterKeys.length === 0
    ? []
    : [
        `It can be used with ${masterKeys.map(shownKey).join(' and ')}, ` +
          'which is not in it: keep SECRETS_MASTER_KEYS apart from it.',
      ]

const shownKey = ({ id, fingerprint }: Manifest['masterKeys'][number]): string =>
  `the master key ${id} (fingerprint ${fingerprint})`

const secondsSince = (startedAt: number): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`

/** Of the product, from the root package.json. */
function productVersion(): string {
  const text = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
