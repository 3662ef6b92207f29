import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type Env, secretOf } from '@platform/config'
import { OpsProblem } from '../terminal.ts'

/** A running platform: where its API begins (without /v2), and the key that opens it to operators. */
export interface Platform {
  baseUrl: string
  internalKey: string
}

/**
 * From INTERNAL_API_URL, which the containers of a platform have, API_URL or PORT, and INTERNAL_API_KEY; the key is
 * else taken from the secrets that the first start has kept.
 */
export function findPlatform(env: Env): Platform {
  const baseUrl = findApi(env)
  const internalKey = givenKey(env) ?? keptSecrets(env).INTERNAL_API_KEY
  if (internalKey === undefined) {
    throw new OpsProblem(
      'INTERNAL_API_KEY is not known: set it, ' +
        `or set DATA_DIRECTORY to the data of the platform (${secretsFile(env)} is not there).`,
    )
  }
  return { baseUrl, internalKey }
}

/** Where the API begins, without /v2. */
export function findApi(env: Env): string {
  const variable = given(env, 'INTERNAL_API_URL') === undefined ? 'API_URL' : 'INTERNAL_API_URL'
  const apiUrl = given(env, variable) ?? `http://127.0.0.1:${given(env, 'PORT') ?? '3001'}/v2`
  if (!/^https?:$/.test(URL.parse(apiUrl)?.protocol ?? ''))
    throw new OpsProblem(`${variable} must be an http or https address, not "${apiUrl}".`)
  return apiUrl.replace(/\/+$/, '').replace(/\/v2$/, '')
}

const given = (env: Env, name: string): string | undefined => env[name] || undefined

/** As a process of the platform takes it: itself, or as the file that INTERNAL_API_KEY_FILE names. */
function givenKey(env: Env): string | undefined {
  try {
    return secretOf(env, 'INTERNAL_API_KEY')
  } catch (error) {
    throw error instanceof ConfigError ? new OpsProblem(error.message) : error
  }
}

const secretsFile = (env: Env): string => join(given(env, 'DATA_DIRECTORY') ?? './.data', 'secrets.env')

/** The secrets of a platform that made its own; none where there is no such file. */
export function keptSecrets(env: Env): Env {
  const file = secretsFile(env)
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    const pairs = lines.filter((line) => /^[A-Z_]+=/.test(line)).map((line) => line.split(/=(.*)/s))
    return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    throw new OpsProblem(`${file} can't be read (${code}): run this as the user of the platform.`)
  }
}
