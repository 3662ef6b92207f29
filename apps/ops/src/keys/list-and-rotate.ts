import { listMasterKeys, listSigningKeys, rotateSigningKey } from '@platform/contracts'
import { ask } from '../platform/call.ts'
import { paintOf, plain, type Terminal } from '../terminal.ts'
import { keyLines, masterKeyLines } from './key-lines.ts'

/** `ops keys list`: the signing keys and the master keys that seal them. */
export async function listKeys(terminal: Terminal, options: { json?: boolean }): Promise<number> {
  const signingKeys = await ask(terminal, listSigningKeys)
  const masterKeys = await ask(terminal, listMasterKeys)

  const paint = paintOf(terminal)
  const lines =
    options.json === true
      ? [JSON.stringify({ signingKeys, masterKeys }, null, 2)]
      : [...keyLines(signingKeys, paint), '', ...masterKeyLines(masterKeys, paint)]
  terminal.print(lines.join('\n'))
  return 0
}

/** `ops keys rotate [--now]`: it signs no one out. */
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
