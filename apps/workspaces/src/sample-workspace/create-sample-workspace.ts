import { createSampleWorkspace as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { addAutomation } from '../automations/add-automation.ts'
import { type Actor, actorOf } from '../changes/actor.ts'
import type { ChangeStore } from '../changes/change-store.ts'
import { addWorkspace } from '../workspaces/add-workspace.ts'
import { newWorkspace } from '../workspaces/workspace.ts'
import { sampleAutomations, sampleInput } from './sample-workspace.ts'

interface Deps {
  changes: ChangeStore
  clock: Clock
  eventMaxLength: number
}

export const createSampleWorkspace = (deps: Deps) =>
  route(endpoint, {
    handle: ({ body, principal, request }) => makeSample(deps, body.ownerId, actorOf(principal, request)),
  })

/** Makes the sample once in the life of the platform; later calls answer what was made. */
async function makeSample(deps: Deps, ownerId: string, caller: Actor) {
  const now = deps.clock.now()
  const record = newWorkspace(sampleInput, ownerId, now)
  const owner = { ...caller, id: ownerId }
  return await deps.changes.commit(async (change) => {
    const id = await change.workspaces.claimOnce('sample', record.id)
    if (id !== record.id) return { id, slug: record.slug, created: false }
    const { slug } = await addWorkspace(change, record, ownerId, owner, deps.eventMaxLength)
    for (const automation of sampleAutomations) {
      await addAutomation(change, id, automation, owner, { now, eventMaxLength: deps.eventMaxLength })
    }
    return { id, slug, created: true }
  })
}
