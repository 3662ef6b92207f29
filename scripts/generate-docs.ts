// docs/events.md from the event contracts, docs/configuration.md from the configuration of every service.
import { writeFileSync } from 'node:fs'
import { processEnv } from '@platform/service'
import { z } from 'zod'
import { gatewayEnvs } from '../apps/api-gateway/src/config.ts'
import { eventsEnv } from '../apps/events/src/config.ts'
import { runtimeEnv } from '../apps/runtime/src/config.ts'
import { workspacesEnv } from '../apps/workspaces/src/config.ts'
import { configurationPage } from './generate/configuration-page.ts'
import { events } from './generate/declared.ts'

const sections = events.map(({ type, emittedWhen, payload }) => {
  const { $schema: _, ...schema } = z.toJSONSchema(payload, { unrepresentable: 'any' })
  return `## ${type}\n\n${emittedWhen}\n\n\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\`\n`
})

writeFileSync(
  'docs/events.md',
  `# Native events\n\nGenerated from packages/contracts. What each event of the platform carries in \`payload\`.\n\n${sections.join('\n')}`,
)
writeFileSync(
  'docs/configuration.md',
  configurationPage({
    'every process': processEnv,
    'api-gateway': gatewayEnvs,
    workspaces: workspacesEnv,
    runtime: runtimeEnv,
    events: eventsEnv,
  }),
)
console.log(`docs/events.md: ${events.length} events`)
