import { getProcessSettings, type Setting } from '@platform/contracts'
import { processEnv, settingsOf } from '@platform/service'
import { ask } from '../platform/call.ts'
import { keptSecrets } from '../platform/find-platform.ts'
import { columns, OpsProblem, paintOf, plain, type Terminal } from '../terminal.ts'
import { environments } from './environments.ts'

/**
 * `ops config print`: every variable the running process reads, its value and where it comes from; secrets are never
 * shown. Where nothing runs, what a start from here would read.
 */
export async function printConfig(terminal: Terminal): Promise<number> {
  const settings = (await running(terminal)) ?? settingsFromHere(terminal)
  const paint = paintOf(terminal)
  const head = ['VARIABLE', 'ORIGIN', 'VALUE']
  const [title = '', ...rows] = columns([
    head,
    ...settings.map(({ name, origin, value }) => [name, origin, value].map(plain)),
  ])
  const shade = (row: string, setting: Setting | undefined) =>
    setting?.origin === 'default' || setting?.origin === 'unset' ? paint('grey', row) : row
  terminal.print([paint('bold', title), ...rows.map((row, at) => shade(row, settings[at]))].join('\n'))
  return 0
}

/**
 * What the process at API_URL or PORT says it runs with; undefined, with a word about it, where there is none to ask.
 */
async function running(terminal: Terminal): Promise<Setting[] | undefined> {
  try {
    return (await ask(terminal, getProcessSettings)).settings
  } catch (error) {
    if (!(error instanceof OpsProblem)) throw error
    terminal.complain(`${error.message} This is what a start from here would read.`)
    return undefined
  }
}

const settingsFromHere = ({ env }: Terminal): Setting[] =>
  settingsOf({ process: processEnv, ...environments }, { environment: env, 'secrets file': keptSecrets(env) })
