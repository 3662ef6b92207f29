import type { modules } from '@platform/contracts'
import type { z } from 'zod'
import type { Frame } from '../automations/model.ts'
import type { WorkspaceRecords } from './collections/workspace-records-store.ts'
import type { SecretParts } from './secrets/secret-parts.ts'
import type { TopicParts } from './topics/join-topic.ts'

/** What functions of modules keep things in. */
export interface ModuleStores {
  readonly secrets: SecretParts
  readonly collections: WorkspaceRecords
  readonly topics: TopicParts
}

/** Where a function is called. */
export interface ModuleCall {
  readonly frame: Frame
  /** The place of the instruction. */
  readonly path: string
  /** Missing only where automations compute and keep nothing. */
  readonly stores: ModuleStores | undefined
}

type Described = typeof modules

/** The functions of a module as they are described; each gets its parameters checked. */
export type FunctionsOf<Name extends keyof Described> = {
  readonly [One in keyof Described[Name]['functions']]: (
    parameters: ParametersOf<Described[Name]['functions'][One]>,
    call: ModuleCall,
  ) => unknown
}

type ParametersOf<One> = One extends { parameters: infer Schema extends z.ZodType } ? z.output<Schema> : never
