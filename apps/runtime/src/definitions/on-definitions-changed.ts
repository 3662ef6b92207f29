import {
  automationCreated,
  automationDeleted,
  automationUpdated,
  type EventContract,
  workspaceDeleted,
  workspaceRestored,
  workspaceUpdated,
} from '@platform/contracts'
import { onEveryInstance, type Subscription } from '@platform/service'
import type { Definitions } from './definitions.ts'

const changes: readonly EventContract[] = [
  automationCreated,
  automationUpdated,
  automationDeleted,
  workspaceUpdated,
  workspaceDeleted,
  workspaceRestored,
]

/** Loads a workspace again as soon as it was changed; after a gap, all that are asked for. */
export const onDefinitionsChanged = (definitions: Definitions): Subscription[] =>
  changes.map((contract) =>
    onEveryInstance(
      contract,
      ({ workspaceId }) => definitions.invalidate(workspaceId),
      () => definitions.invalidate(),
    ),
  )
