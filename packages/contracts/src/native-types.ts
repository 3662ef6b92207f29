const reservedPrefixes = [
  'access-manager.',
  'apikeys.',
  'events.',
  'gateway.',
  'organizations.',
  'platform.',
  'runtime.',
  'workspaces.',
]
const reservedTypes = new Set(['error', 'usage', 'apps.published', 'apps.deleted'])

/** True for types only the platform itself may emit. */
export const isNativeType = (type: string): boolean =>
  reservedTypes.has(type) || reservedPrefixes.some((prefix) => type.startsWith(prefix))

const triggering = new Set([
  'workspaces.configured',
  'workspaces.deleted',
  'workspaces.imported',
  'workspaces.duplicated',
  'workspaces.versions.published',
  'workspaces.versions.deleted',
  'workspaces.versions.rollback',
  'workspaces.pages.permissions.shared',
  'workspaces.pages.permissions.deleted',
  'workspaces.apps.configured',
  'workspaces.apps.installed',
  'workspaces.apps.uninstalled',
  'workspaces.automations.created',
  'workspaces.automations.updated',
  'workspaces.automations.deleted',
  'apps.published',
  'apps.deleted',
  'runtime.automations.scheduled',
  'runtime.fetch.failed',
  'runtime.webhooks.triggered',
  'runtime.schedules.triggered',
])

/** True when automations may listen to the type: every custom one, and some native ones. */
export const mayTrigger = (type: string): boolean => !isNativeType(type) || triggering.has(type)
