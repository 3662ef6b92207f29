import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { cruise } from './cruise.ts'

/** Each plant breaks one rule; a check that does not see it proves nothing. */
const plants: [rule: string, folder: string, source: string][] = [
  ['package-kernel', 'packages/kernel/src', "export { limits } from '@platform/contracts'"],
  ['package-contracts', 'packages/contracts/src', "export type { Database } from '@platform/database'"],
  ['vendor-express', 'apps/runtime/src', "export { default as planted } from 'express'"],
  ['vendor-pg', 'packages/outbox/src', "export type { Pool } from 'pg'"],
  ['apps-stand-alone', 'apps/events/src', "export { runtime } from '../../runtime/src/service.ts'"],
  [
    'all-in-one-takes-doors',
    'apps/all-in-one/src',
    "export { runtimeEnv } from '../../runtime/src/config.ts'",
  ],
  ['ops-takes-configs', 'apps/ops/src', "export { runtime } from '../../runtime/src/service.ts'"],
  ['package-doors', 'apps/events/src', "export { uuidv7 } from '../../../packages/kernel/src/ids.ts'"],
  [
    'sql-only-in-stores',
    'apps/events/src/event-log',
    "import { type Database, sql } from '@platform/database'\nexport const planted = (database: " +
      'Database) => database.many(sql`select 1`)',
  ],
  ['identity-users', 'packages/identity/src/users', "export { html } from '../pages/html.ts'"],
  [
    'own-store-only-in-identity',
    'packages/identity/src/accounts',
    "export { userStore } from '../users/user-store.ts'",
  ],
  ['stores-do-not-speak-http', 'apps/events/src/event-log', "export { route } from '@platform/http'"],
  ['client-without-node', 'packages/client/src', "export { uuidv7 } from '@platform/kernel'"],
  ['client-without-node-modules', 'packages/contracts/src', "export { join } from 'node:path'"],
  ['tests-are-not-imported', 'packages/http/src', "export * from '../test/testing.ts'"],
  ['no-cycles', 'packages/kernel/src', "export * from './planted-no-cycles-too.ts'"],
  ['resolvable', 'packages/kernel/src', "export * from './not-there.ts'"],
]

const suffix: Record<string, string> = { 'stores-do-not-speak-http': '-store' }
const fileOf = (rule: string, folder: string) => `${folder}/planted-${rule}${suffix[rule] ?? ''}.ts`

/** Plants every violation, looks once, and takes them away again. Answers those that went unseen, as sentences. */
export function unseenPlants(): string[] {
  const files = new Map(plants.map(([rule, folder, source]) => [fileOf(rule, folder), source]))
  files.set('packages/kernel/src/planted-no-cycles-too.ts', "export * from './planted-no-cycles.ts'")
  const madeFolders = [...new Set([...files.keys()].map(dirname))].filter((folder) => !existsSync(folder))
  try {
    for (const [file, source] of files) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `${source}\n`)
    }
    const { violations } = cruise([...files.keys()])
    const isSeen = (rule: string, file: string) =>
      violations.some((one) => one.rule.name === rule && [one.from, one.to].includes(file))
    return plants
      .filter(([rule, folder]) => !isSeen(rule, fileOf(rule, folder)))
      .map(([rule]) => `The planted violation of "${rule}" was not seen: the check does not work.`)
  } finally {
    for (const file of files.keys()) rmSync(file, { force: true })
    for (const folder of madeFolders) rmSync(folder, { force: true, recursive: true })
  }
}
