import type { Database } from '@platform/database'
import { systemClock } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import type { MasterKey } from '@platform/master-keys'
import type { ModuleStores } from '../src/modules/module.ts'
import { openModules } from '../src/modules/module-stores.ts'
import type { ModuleSettings } from '../src/modules/modules-env.ts'
import { Overrides } from '../src/overrides/overrides.ts'

/** A master key whose bytes are all the same. */
export const testKey = (id: string, fill: number): MasterKey => ({ id, key: Buffer.alloc(32, fill) })

/** The stores of modules, on a database with the tables of the runtime. */
export const testModules = (database: Database, settings: Partial<ModuleSettings> = {}): ModuleStores =>
  openModules({
    database,
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
    settings: {
      masterKeys: [testKey('test', 7)],
      secretsMax: 100,
      overrides: new Overrides(),
      keptDays: 30,
      collections: { maxCollections: 200, maxRecords: 100_000 },
      topics: { maxTopics: 5, maxMembers: 10 },
      ...settings,
    },
  }).stores
