import { rotateSigningKey } from '@platform/contracts'
import { ask } from '../platform/call.ts'
import { paintOf, plain, type Terminal } from '../terminal.ts'
import { keyLines } from './key-lines.ts'

/** `ops keys rotate [--now]`: nobody is signed out by it. */
export async function rotateKey(terminal: Terminal, options: { now?: boolean }): Promise<number> {
  const { keys } = await ask(terminal, rotateSigningKey, { body: { immediately: options.now === true } })

  const next = keys.find(({ state }) => state === 'published')
  const signing = keys.find(({ state }) => state === 'signing')
  const sentence =
    next === undefined
      ? `${plain(signing?.kid ?? 'No key')} signs from now on; what older keys signed stays valid.`
      : `${plain(next.kid)} is published and signs once JWKS_PUBLISH_AHEAD has passed; nobody is signed out.`
  terminal.print([...keyLines(keys, paintOf(terminal)), '', sentence].join('\n'))
  return 0
}
