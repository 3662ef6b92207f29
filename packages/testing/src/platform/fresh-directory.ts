import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A new directory for the data of a platform under test. Others may pass through it: under root PostgreSQL runs as
 * "nobody", and would keep its data below /var/lib instead, where no test removes it.
 */
export function freshDirectory(prefix: string): string {
  const directory = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(directory, 0o711)
  return directory
}
