import { z } from 'zod'
import { event } from '../event.ts'
import { anything, open, text, texts } from './field.ts'

/** What brought a change about, where it was no user. */
const reason = z.looseObject({ type: text.optional() })
const granted = z.looseObject({ role: text.optional(), policies: open.optional() })

/** Workspaces and what they are made of. */
export const workspaceEvents = {
  configured: event({
    type: 'workspaces.configured',
    emittedWhen: 'The configuration of a workspace was changed.',
    payload: z.looseObject({ config: open, oldConfig: anything.optional(), reason: reason.optional() }),
  }),
  duplicated: event({
    type: 'workspaces.duplicated',
    emittedWhen: 'A workspace was copied.',
    payload: z.looseObject({
      workspace: open,
      fromWorkspace: z.looseObject({ name: text, slug: text.optional(), id: text }).optional(),
    }),
  }),
  imported: event({
    type: 'workspaces.imported',
    emittedWhen: 'Files were imported into a workspace.',
    payload: z.looseObject({
      workspace: open,
      files: texts,
      deleted: texts.optional(),
      version: open.optional(),
      errors: z.array(open).optional(),
      endEvents: z.array(open).optional(),
      publishedAppSlug: text.optional(),
    }),
  }),
  suspended: event({
    type: 'workspaces.suspended',
    emittedWhen: 'A workspace was suspended, or is so no longer.',
    payload: z.looseObject({ workspaceId: text, suspended: z.boolean(), reason: text }),
    everyInstance: true,
  }),
  appsConfigured: event({
    type: 'workspaces.apps.configured',
    emittedWhen: 'The configuration of an app instance was changed.',
    payload: z.looseObject({
      appInstance: z.looseObject({ appSlug: text }),
      slug: text,
      oldSlug: text.optional(),
      events: open.optional(),
      reason: reason.optional(),
    }),
  }),
  appsInstalled: event({
    type: 'workspaces.apps.installed',
    emittedWhen: 'An app was installed.',
    payload: z.looseObject({
      appInstance: open,
      slug: text,
      events: open.optional(),
      reason: reason.optional(),
    }),
  }),
  appsUninstalled: event({
    type: 'workspaces.apps.uninstalled',
    emittedWhen: 'An app was removed.',
    payload: z.looseObject({ slug: text, reason: reason.optional() }),
  }),
  blocksUpdated: event({
    type: 'workspaces.blocks.updated',
    emittedWhen: 'The blocks of a workspace were changed.',
    payload: z.looseObject({ blocks: open, workspaceSlug: text }),
  }),
  collectionsUpdated: event({
    type: 'workspaces.collections.updated',
    emittedWhen: 'A collection of a workspace was changed.',
    payload: z.looseObject({
      namespace: text,
      workspaceId: text,
      appSlug: text.optional(),
      schema: text,
      collection: text,
      oldCollection: text.optional(),
      properties: anything.optional(),
      indexes: z.array(anything).optional(),
      uniques: z.array(anything).optional(),
    }),
  }),
  eventsUpdated: event({
    type: 'workspaces.events.updated',
    emittedWhen: 'The configuration of the events of a workspace was changed.',
    payload: z.looseObject({ events: open }),
  }),
  filesUploaded: event({
    type: 'workspaces.files.uploaded',
    emittedWhen: 'A file was uploaded.',
    payload: open,
  }),
  filesUpdated: event({
    type: 'workspaces.files.updated',
    emittedWhen: 'What is known of a file was changed.',
    payload: open,
  }),
  pagesCreated: event({
    type: 'workspaces.pages.created',
    emittedWhen: 'A page was created.',
    payload: z.looseObject({ page: open, events: open.optional() }),
  }),
  pagesUpdated: event({
    type: 'workspaces.pages.updated',
    emittedWhen: 'A page was changed.',
    payload: z.looseObject({ page: open, slug: text, oldSlug: text.optional(), events: open.optional() }),
  }),
  pagesDeleted: event({
    type: 'workspaces.pages.deleted',
    emittedWhen: 'A page was deleted.',
    payload: z.looseObject({ pageSlug: text }),
  }),
  pagesPermissionsShared: event({
    type: 'workspaces.pages.permissions.shared',
    emittedWhen: 'A page was shared.',
    payload: z.looseObject({ target: open, permissions: granted, subjectId: text }),
  }),
  pagesPermissionsDeleted: event({
    type: 'workspaces.pages.permissions.deleted',
    emittedWhen: 'A page is shared no longer.',
    payload: z.looseObject({ subjectId: text, target: open }),
  }),
  permissionsShared: event({
    type: 'workspaces.permissions.shared',
    emittedWhen: 'A workspace was shared.',
    payload: z.looseObject({ target: open, permissions: granted, subjectId: text }),
  }),
  permissionsDeleted: event({
    type: 'workspaces.permissions.deleted',
    emittedWhen: 'A workspace is shared no longer.',
    payload: z.looseObject({ subjectId: text, target: open }),
  }),
  secretsUpdated: event({
    type: 'workspaces.secrets.updated',
    emittedWhen: 'Secrets of a workspace were changed by the API; only their names are told.',
    payload: z.looseObject({
      created: texts.optional(),
      updated: texts.optional(),
      deleted: texts.optional(),
      truncated: z.boolean().optional().describe('true: too many for an event; the names are left out.'),
    }),
    everyInstance: true,
  }),
  securityUpdated: event({
    type: 'workspaces.security.updated',
    emittedWhen: 'The roles and rules of a workspace were changed.',
    payload: z.looseObject({ security: open }),
  }),
} as const
