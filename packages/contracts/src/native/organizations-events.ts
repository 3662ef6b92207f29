import { z } from 'zod'
import { event } from '../event.ts'
import { open, text, texts } from './field.ts'

/** Organizations, their members, groups, roles and keys. */
export const organizationEvents = {
  created: event({
    type: 'organizations.created',
    emittedWhen: 'An organization was created.',
    payload: z.looseObject({ slug: text, createdBy: text }),
  }),
  updated: event({
    type: 'organizations.updated',
    emittedWhen: 'An organization was changed.',
    payload: z.looseObject({ slug: text.optional(), orgSlug: text, updatedBy: text }),
  }),
  deleted: event({
    type: 'organizations.deleted',
    emittedWhen: 'An organization was deleted.',
    payload: z.looseObject({ slug: text.optional(), orgSlug: text, deletedBy: text }),
  }),
  audit: event({
    type: 'organizations.audit',
    emittedWhen: 'Something worth auditing was done in an organization.',
    payload: z.looseObject({
      category: text,
      action: text,
      orgSlug: text,
      target: z
        .looseObject({
          type: text.optional(),
          id: text.optional(),
          name: text.optional(),
          email: text.optional(),
        })
        .optional(),
      changes: z.looseObject({ before: open.optional(), after: open.optional() }).optional(),
      metadata: open.optional(),
    }),
  }),
  apikeysCreated: event({
    type: 'organizations.apikeys.created',
    emittedWhen: 'A key of an organization was created.',
    payload: z.looseObject({ orgSlug: text, keyId: text }),
  }),
  apikeysUpdated: event({
    type: 'organizations.apikeys.updated',
    emittedWhen: 'A key of an organization was changed.',
    payload: z.looseObject({ orgSlug: text, keyId: text }),
  }),
  apikeysRotated: event({
    type: 'organizations.apikeys.rotated',
    emittedWhen: 'A key of an organization was replaced.',
    payload: z.looseObject({ orgSlug: text, keyId: text }),
  }),
  apikeysDeleted: event({
    type: 'organizations.apikeys.deleted',
    emittedWhen: 'A key of an organization was deleted.',
    payload: z.looseObject({ orgSlug: text, keyId: text }),
  }),
  groupsCreated: event({
    type: 'organizations.groups.created',
    emittedWhen: 'A group was created.',
    payload: z.looseObject({ orgSlug: text, slug: text }),
  }),
  groupsUpdated: event({
    type: 'organizations.groups.updated',
    emittedWhen: 'A group was changed.',
    payload: z.looseObject({ orgSlug: text, slug: text }),
  }),
  groupsDeleted: event({
    type: 'organizations.groups.deleted',
    emittedWhen: 'A group was deleted.',
    payload: z.looseObject({ orgSlug: text, slug: text }),
  }),
  groupsMembersAdded: event({
    type: 'organizations.groups.members.added',
    emittedWhen: 'Users have become members of a group.',
    payload: z.looseObject({ orgSlug: text, groupSlug: text, userIds: texts, joinedVia: text.optional() }),
  }),
  groupsMembersRemoved: event({
    type: 'organizations.groups.members.removed',
    emittedWhen: 'Users have left a group.',
    payload: z.looseObject({ orgSlug: text, groupSlug: text, userIds: texts }),
  }),
  invitesCreated: event({
    type: 'organizations.invites.created',
    emittedWhen: 'Somebody was invited into an organization.',
    payload: z.looseObject({ orgSlug: text, code: text }),
  }),
  invitesRevoked: event({
    type: 'organizations.invites.revoked',
    emittedWhen: 'An invitation was taken back.',
    payload: z.looseObject({ orgSlug: text, code: text }),
  }),
  membersAdded: event({
    type: 'organizations.members.added',
    emittedWhen: 'Users have become members of an organization.',
    payload: z.looseObject({ orgSlug: text, userIds: texts, joinedVia: text.optional() }),
  }),
  membersUpdated: event({
    type: 'organizations.members.updated',
    emittedWhen: 'What a member may do was changed.',
    payload: z.looseObject({ orgSlug: text, userId: text }),
  }),
  membersRemoved: event({
    type: 'organizations.members.removed',
    emittedWhen: 'Users have left an organization.',
    payload: z.looseObject({ orgSlug: text, userIds: texts }),
  }),
  rolesCreated: event({
    type: 'organizations.roles.created',
    emittedWhen: 'A role was created.',
    payload: z.looseObject({ orgSlug: text, slug: text }),
  }),
  rolesUpdated: event({
    type: 'organizations.roles.updated',
    emittedWhen: 'A role was changed.',
    payload: z.looseObject({ orgSlug: text, slug: text }),
  }),
  rolesDeleted: event({
    type: 'organizations.roles.deleted',
    emittedWhen: 'A role was deleted.',
    payload: z.looseObject({ orgSlug: text, slug: text }),
  }),
  serviceAccountsCreated: event({
    type: 'organizations.serviceAccounts.created',
    emittedWhen: 'A service account was created.',
    payload: z.looseObject({ orgSlug: text, saSlug: text }),
  }),
  serviceAccountsUpdated: event({
    type: 'organizations.serviceAccounts.updated',
    emittedWhen: 'A service account was changed.',
    payload: z.looseObject({ orgSlug: text, saSlug: text }),
  }),
  serviceAccountsRotated: event({
    type: 'organizations.serviceAccounts.rotated',
    emittedWhen: 'The secret of a service account was replaced.',
    payload: z.looseObject({ orgSlug: text, saSlug: text }),
  }),
  serviceAccountsTokenIssued: event({
    type: 'organizations.serviceAccounts.tokenIssued',
    emittedWhen: 'A service account was given a token.',
    payload: z.looseObject({ orgSlug: text, saSlug: text }),
  }),
  serviceAccountsDeleted: event({
    type: 'organizations.serviceAccounts.deleted',
    emittedWhen: 'A service account was deleted.',
    payload: z.looseObject({ orgSlug: text, saSlug: text }),
  }),
  subscriptionsCreated: event({
    type: 'organizations.subscriptions.created',
    emittedWhen: 'A plan was created.',
    payload: z.looseObject({ subscriptionSlug: text }),
  }),
  subscriptionsUpdated: event({
    type: 'organizations.subscriptions.updated',
    emittedWhen: 'A plan was changed.',
    payload: z.looseObject({ subscriptionSlug: text }),
  }),
  subscriptionsDeleted: event({
    type: 'organizations.subscriptions.deleted',
    emittedWhen: 'A plan was deleted.',
    payload: z.looseObject({ subscriptionSlug: text }),
  }),
} as const
