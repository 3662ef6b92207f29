import { listMasterKeys, listSigningKeys } from '@platform/contracts'
import { ask } from '../platform/call.ts'
import { paintOf, type Terminal } from '../terminal.ts'
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
