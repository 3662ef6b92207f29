import { Failure } from '@platform/kernel'

/** 404 to members of the workspace; others never get this far. */
export const automationNotFound = (slug: string): Failure =>
  new Failure('ObjectNotFoundError', `There is no automation "${slug.slice(0, 100)}" in this workspace.`)

/** 409: a slug is the identity of one automation of a workspace. */
export const slugTaken = (slug: string): Failure =>
  new Failure('AlreadyUsed', `The automation slug "${slug}" is taken in this workspace: choose another one.`)
