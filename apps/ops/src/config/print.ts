import { gatewayEnvs } from '@platform/api-gateway/config'
import { eventsEnv } from '@platform/events/config'
import { runtimeEnv } from '@platform/runtime/config'
import { processEnv } from '@platform/service'
import { workspacesEnv } from '@platform/workspaces/config'
import { keptSecrets } from '../platform/find-platform.ts'
import { columns, paintOf, type Terminal } from '../terminal.ts'
import { type Setting, settingsOf } from './settings.ts'

const schemas = {
  process: processEnv,
  'api-gateway': gatewayEnvs,
  workspaces: workspacesEnv,
  runtime: runtimeEnv,
  events: eventsEnv,
}

/** `ops config print`: every variable, its value and where it comes from. Secrets are never shown. */
export async function printConfig(terminal: Terminal): Promise<number> {
  const settings = settingsOf(schemas, {
    environment: terminal.env,
    'secrets file': keptSecrets(terminal.env),
  })
  const paint = paintOf(terminal)
  const head = ['VARIABLE', 'ORIGIN', 'VALUE']
  const [title = '', ...rows] = columns([
    head,
    ...settings.map(({ name, origin, value }) => [name, origin, value]),
  ])
  const shade = (row: string, setting: Setting | undefined) =>
    setting?.origin === 'default' || setting?.origin === 'unset' ? paint('grey', row) : row
  terminal.print([paint('bold', title), ...rows.map((row, at) => shade(row, settings[at]))].join('\n'))
  return 0
}
