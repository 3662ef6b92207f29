import { readFileSync } from 'node:fs'
import type { Encryption, Opening } from '@platform/backup'
import { ConfigError, type Env, secretOf } from '@platform/config'
import { OpsProblem } from '../terminal.ts'

export interface SecretOptions {
  passphraseFile?: string
  keyFile?: string
  recipient?: string[]
}

/** How a new backup is encrypted: for recipients, by a passphrase, or not at all. */
export function encryptionOf(env: Env, { recipient, passphraseFile }: SecretOptions): Encryption | undefined {
  const passphrase = passphraseOf(env, passphraseFile)
  if (recipient !== undefined && passphrase !== undefined)
    throw new OpsProblem('A backup is encrypted for --recipient or by a passphrase: give one of the two.')
  if (recipient !== undefined) return { recipients: recipient }
  return passphrase === undefined ? undefined : { passphrase }
}

/** What a backup is opened with. */
export function openingOf(env: Env, { passphraseFile, keyFile }: SecretOptions): Opening {
  const lines = keyFile === undefined ? [] : contentOf(keyFile).split(/\s+/)
  const keys = lines.filter((line) => line.startsWith('AGE-SECRET-KEY-'))
  if (keyFile !== undefined && keys.length === 0)
    throw new OpsProblem(`${keyFile} holds no key: it must be what "age-keygen" writes, AGE-SECRET-KEY-1….`)
  return { keys, passphrase: passphraseOf(env, passphraseFile) }
}

/** Never as an argument: everybody on the machine can read those. */
function passphraseOf(env: Env, file: string | undefined): string | undefined {
  try {
    const passphrase =
      file === undefined ? secretOf(env, 'BACKUP_PASSPHRASE') : contentOf(file).replace(/\r?\n$/, '')
    if (passphrase === '') throw new OpsProblem(`${file} is empty: write the passphrase there.`)
    return passphrase
  } catch (error) {
    throw error instanceof ConfigError ? new OpsProblem(error.message) : error
  }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OpsProblem(`${file} can't be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
