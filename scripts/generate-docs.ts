// docs/access.md, docs/events.md and docs/automation-tests.schema.json from the contracts, docs/automations.md from
// what describes the language, docs/configuration.md and deploy/compose/platform.env.example from the configuration of
// every service.
import { writeFileSync } from 'node:fs'
import { AutomationTestFile } from '@platform/contracts'
import { declaredEndpoints } from '@platform/openapi'
import { processEnv } from '@platform/service'
import { z } from 'zod'
import { allInOneEnv } from '../apps/all-in-one/src/embedded-environment.ts'
import { environments } from '../apps/ops/src/config/environments.ts'
import { accessPage } from './generate/access-page.ts'
import { automationsPage } from './generate/automations-page.ts'
import { configurationPage } from './generate/configuration-page.ts'
import { events } from './generate/declared.ts'
import { environmentExample } from './generate/environment-example.ts'
import { eventsPage } from './generate/events-page.ts'
import type { Environments } from './generate/variables.ts'

const readers: Environments = {
  'every process': processEnv,
  'all in one': allInOneEnv,
  ...environments,
}

writeFileSync('docs/access.md', accessPage(declaredEndpoints))
writeFileSync('docs/events.md', eventsPage(events))
writeFileSync('docs/automations.md', automationsPage())
writeFileSync('docs/automation-tests.schema.json', testsSchema())
writeFileSync('docs/configuration.md', configurationPage(readers))
writeFileSync('deploy/compose/platform.env.example', environmentExample(readers))
console.log(`docs/events.md: ${events.length} events`)

/** By which editors help to write tests of automations. */
function testsSchema(): string {
  const schema = z.toJSONSchema(AutomationTestFile, { io: 'input', unrepresentable: 'any', reused: 'ref' })
  return `${JSON.stringify({ ...schema, title: 'Tests of automations' }, undefined, 2)}\n`
}
