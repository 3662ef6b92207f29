import type { modules } from '@platform/contracts'
import type { z } from 'zod'
import type { Frame } from '../automations/model.ts'

/** Where a function is called. */
export interface ModuleCall {
  readonly frame: Frame
  /** The place of the instruction. */
  readonly path: string
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
