// docs/events.md from the event contracts, docs/automations.md from what describes the language,
// docs/configuration.md from the configuration of every service.
import { writeFileSync } from 'node:fs'
import { processEnv } from '@platform/service'
import type { ZodType } from 'zod'
import { allInOneEnv } from '../apps/all-in-one/src/config.ts'
import { environments } from '../apps/ops/src/config/environments.ts'
import { automationsPage } from './generate/automations-page.ts'
import { configurationPage } from './generate/configuration-page.ts'
import { events } from './generate/declared.ts'
import { eventsPage } from './generate/events-page.ts'

const readers: Record<string, ZodType | readonly ZodType[]> = {
  'every process': processEnv,
  'all in one': allInOneEnv,
  ...environments,
}

writeFileSync('docs/events.md', eventsPage(events))
writeFileSync('docs/automations.md', automationsPage())
writeFileSync('docs/configuration.md', configurationPage(readers))
console.log(`docs/events.md: ${events.length} events`)
