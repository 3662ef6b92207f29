import type { FailureBody } from '@platform/kernel'
import { Failure } from '@platform/kernel'
import type { OutsideEffect } from '../automations/model.ts'
import type { ModuleCall } from './module.ts'

type Kept<T> = { readonly value: T } | { readonly failure: FailureBody }

/**
 * Asks a store in the name of a run. What it answers, also a failure that the automation may see, is kept with the run
 * and not asked for again. What only reads needs nothing of the run to be committed before.
 */
export async function keptAnswer<T>(
  { frame, path }: ModuleCall,
  work: (effect: OutsideEffect) => Promise<T>,
  { onlyReads = false }: { readonly onlyReads?: boolean } = {},
): Promise<T> {
  const ask = async (effect: OutsideEffect): Promise<Kept<T>> => {
    try {
      return { value: await work(effect) }
    } catch (error) {
      if (error instanceof Failure && error.status < 500) return { failure: error.toJSON() }
      throw error
    }
  }
  const kept = await frame.run.fromOutside(frame, path, ask, { onlyReads })
  if (!('failure' in kept)) return kept.value
  const { error, message, details } = kept.failure
  throw new Failure(error, message, details === undefined ? {} : { details })
}
