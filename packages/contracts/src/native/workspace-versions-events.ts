import { z } from 'zod'
import { event } from '../event.ts'
import { number, open, text, texts } from './field.ts'

const steps = [
  'checkout',
  'pull',
  'pull:import',
  'pull:import:done',
  'pull:merge',
  'write',
  'push',
  'pull:done',
  'push:merge',
  'push:tag',
  'push:done',
  'error',
] as const

const progress = {
  repositoryId: text,
  workspaceSlug: text,
  workspaceId: text.optional(),
  workspaceName: text.optional(),
  duration: number.optional(),
  errors: z.array(open).optional(),
  current: number,
  total: number,
  percentage: number,
}

/** Versions of workspaces, and the repositories they are kept in. */
export const workspaceVersionEvents = {
  published: event({
    type: 'workspaces.versions.published',
    emittedWhen: 'A version was published.',
    payload: z.looseObject({ version: open, changes: open.optional() }),
  }),
  deleted: event({
    type: 'workspaces.versions.deleted',
    emittedWhen: 'A version was deleted.',
    payload: z.looseObject({ version: open }),
  }),
  rollback: event({
    type: 'workspaces.versions.rollback',
    emittedWhen: 'A workspace was set back to a version.',
    payload: z.looseObject({ version: open }),
  }),
  progress: event({
    type: 'workspaces.versions.progress',
    emittedWhen: 'A pull from a repository or a push to it has reached a step.',
    payload: z.looseObject({
      operation: z.enum(['pull', 'push']),
      step: z.enum(steps),
      message: text,
      startedAt: text,
      repositoryId: text.optional(),
      branch: text.optional(),
      stepDuration: number.optional(),
    }),
  }),
  bulkImportStarted: event({
    type: 'workspaces.bulkImport.started',
    emittedWhen: 'An import of many workspaces has begun.',
    payload: z.looseObject({
      repositoryId: text,
      groups: texts.optional(),
      workspaces: z.array(open).optional(),
    }),
  }),
  bulkImportProgress: event({
    type: 'workspaces.bulkImport.progress',
    emittedWhen: 'One workspace of an import is done.',
    payload: z.looseObject({ ...progress, status: z.enum(['imported', 'skipped', 'error']) }),
  }),
  bulkImportCompleted: event({
    type: 'workspaces.bulkImport.completed',
    emittedWhen: 'An import of many workspaces has ended.',
    payload: z.looseObject({
      repositoryId: text,
      groups: texts.optional(),
      duration: number.optional(),
      errors: z.array(open).optional(),
      createdWorkspaceIds: texts.optional(),
      updatedWorkspaceIds: texts.optional(),
      skippedWorkspaceIds: texts.optional(),
      importedFilesCount: number.optional(),
      deletedFilesCount: number.optional(),
      workspaces: z.array(open).optional(),
    }),
  }),
  bulkPushStarted: event({
    type: 'workspaces.bulkPush.started',
    emittedWhen: 'A push of many workspaces has begun.',
    payload: z.looseObject({ repositoryId: text, groups: texts, workspaces: z.array(open).optional() }),
  }),
  bulkPushProgress: event({
    type: 'workspaces.bulkPush.progress',
    emittedWhen: 'One workspace of a push is done.',
    payload: z.looseObject({ ...progress, status: z.enum(['pushed', 'error']) }),
  }),
  bulkPushCompleted: event({
    type: 'workspaces.bulkPush.completed',
    emittedWhen: 'A push of many workspaces has ended.',
    payload: z.looseObject({
      repositoryId: text,
      groups: texts,
      duration: number.optional(),
      errors: z.array(open).optional(),
      pushedWorkspaceIds: texts.optional(),
      mergeConflictWorkspaceIds: texts.optional(),
      alreadyPushedWorkspaceIds: texts.optional(),
      workspaces: z.array(open).optional(),
    }),
  }),
} as const
