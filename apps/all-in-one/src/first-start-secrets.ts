import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from '@platform/config'

const generators: Record<string, () => string> = {
  INTERNAL_API_KEY: () => randomBytes(32).toString('base64url'),
  SECRETS_MASTER_KEYS: () => `k1:${randomBytes(32).toString('base64')}`,
  SESSION_COOKIES_SIGN_SECRET: () => randomBytes(32).toString('base64url'),
}

/**
 * The secrets of a platform nobody configured: made at the first start, kept in `<data>/secrets.env` (0600), read at
 * every later one. What the environment gives is neither made nor written.
 */
export function firstStartSecrets(dataDirectory: string, given: Env): Env {
  const file = join(dataDirectory, 'secrets.env')
  const kept = parse(readIfThere(file))
  const missing = Object.keys(generators).filter((name) => kept[name] === undefined && !given[name])
  if (missing.length === 0) return kept
  const made = Object.fromEntries(missing.map((name) => [name, generators[name]?.() ?? '']))
  const secrets = { ...kept, ...made }
  write(dataDirectory, file, secrets)
  return secrets
}

/** Those of an environment that a first start would have made. */
export const firstStartSecretsOf = (env: Env): Env =>
  Object.fromEntries(Object.keys(generators).map((name) => [name, env[name]]))

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw new SecretsFileError(
      `The secrets file ${file} can't be read: give this user the right to, or set the secrets in the environment.`,
    )
  }
}

function write(directory: string, file: string, secrets: Env): void {
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}`)
  try {
    mkdirSync(directory, { recursive: true })
    writeFileSync(
      file,
      '# Secrets of this installation. Keep a copy: without SECRETS_MASTER_KEYS encrypted data ' +
        `is lost.\n${lines.join('\n')}\n`,
      {
        mode: 0o600,
      },
    )
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why =
      code === 'ENOSPC'
        ? 'the disk is full: free some space'
        : 'it is not writable: change its owner, or set DATA_DIRECTORY'
    throw new SecretsFileError(`The data directory ${directory} can't take the platform's secrets, ${why}.`)
  }
}

const parse = (text: string): Env =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => /^[A-Z_]+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

/** The secrets can't be read or written. */
class SecretsFileError extends Error {
  override readonly name = 'SecretsFileError'
}
