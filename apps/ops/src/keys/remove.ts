import {
  listSigningKeys,
  previewSigningKeyRemoval,
  type ResponseOf,
  removeSigningKey,
} from '@platform/contracts'
import { ask } from '../platform/call.ts'
import { counted, OpsProblem, type Paint, paintOf, plain, type Terminal } from '../terminal.ts'

type Removal = ResponseOf<typeof previewSigningKeyRemoval>

/** `ops keys remove <kid>`: shows whom it signs out, asks, and removes. Exit code 1 when it was not confirmed. */
export async function removeKey(
  terminal: Terminal,
  named: string,
  options: { yes?: boolean },
): Promise<number> {
  const kid = await findKid(terminal, named)
  const paint = paintOf(terminal)
  const removal = await ask(terminal, previewSigningKeyRemoval, {
    path: pathOf(previewSigningKeyRemoval, kid),
  })
  terminal.print(previewLines(removal, paint).join('\n'))
  if (options.yes !== true && !(await confirmed(terminal))) {
    terminal.complain('Nothing was removed.')
    return 1
  }

  const { successor } = await ask(terminal, removeSigningKey, { path: pathOf(removeSigningKey, kid) })

  terminal.print(
    `Removed. ${plain(successor ?? 'No key')} signs; every instance refuses the removed key within seconds.`,
  )
  return 0
}

const pathOf = ({ path }: { path: string }, kid: string): string =>
  path.replace(':kid', encodeURIComponent(kid))

/** The whole id, or as much of its beginning as names one key. */
async function findKid(terminal: Terminal, named: string): Promise<string> {
  const keys = await ask(terminal, listSigningKeys)
  const found = keys.filter(({ kid }) => kid === named || (named.length >= 4 && kid.startsWith(named)))
  const [key, another] = found
  if (key === undefined)
    throw new OpsProblem(`No signing key begins with "${named}": "ops keys list" shows which there are.`)
  if (another !== undefined)
    throw new OpsProblem(`${found.length} signing keys begin with "${named}": give more of the id.`)
  return key.kid
}

function previewLines(removal: Removal, paint: Paint): string[] {
  const { kid, state, sessions, users, clients, successor } = removal
  const next = successor === null ? 'a new key is made and signs' : `${plain(successor)} signs`
  return [
    `${plain(kid)} (${state})`,
    paint(
      sessions === 0 ? 'green' : 'red',
      sessions === 0
        ? 'Nobody is signed out.'
        : `Signs out ${counted(sessions, 'session')} of ${counted(users, 'person', 'people')}:`,
    ),
    ...clients.map((client) => `  ${plain(client.clientId)}: ${counted(client.sessions, 'session')}`),
    `Afterwards ${next}.`,
  ]
}

function confirmed(terminal: Terminal): Promise<boolean> {
  if (terminal.confirm !== undefined) return terminal.confirm('Remove it?')
  throw new OpsProblem('Nobody can be asked here: add --yes to remove the key.')
}
