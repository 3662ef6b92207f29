// docs/events.md from the event contracts, docs/automations.md from what describes the language,
// docs/configuration.md from the configuration of every service.
import { writeFileSync } from 'node:fs'
import { processEnv } from '@platform/service'
import { allInOneEnv } from '../apps/all-in-one/src/config.ts'
import { gatewayEnvs } from '../apps/api-gateway/src/config.ts'
import { eventsEnv } from '../apps/events/src/config.ts'
import { runtimeEnv } from '../apps/runtime/src/config.ts'
import { workspacesEnv } from '../apps/workspaces/src/config.ts'
import { automationsPage } from './generate/automations-page.ts'
import { configurationPage } from './generate/configuration-page.ts'
import { events } from './generate/declared.ts'
import { eventsPage } from './generate/events-page.ts'

writeFileSync('docs/events.md', eventsPage(events))
writeFileSync('docs/automations.md', automationsPage())
writeFileSync(
  'docs/configuration.md',
  configurationPage({
    'every process': processEnv,
    'all in one': allInOneEnv,
    'api-gateway': gatewayEnvs,
    workspaces: workspacesEnv,
    runtime: runtimeEnv,
    events: eventsEnv,
  }),
)
console.log(`docs/events.md: ${events.length} events`)
