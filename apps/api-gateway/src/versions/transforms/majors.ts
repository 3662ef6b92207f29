import {
  createAccessToken,
  deleteApiKey,
  findContacts,
  listAccessTokens,
  listApiKeys,
  listAudit,
  listAuthProviders,
  listAutomations,
  listEvents,
  listFunctions,
  listMasterKeys,
  listRuns,
  listSchedules,
  listSessions,
  listSigningKeys,
  listSubscriptionDeliveries,
  listSubscriptions,
  listVersionCallers,
  listVersions,
  listWorkspaces,
  revokeAccessToken,
  updateApiKey,
} from '@platform/contracts'
import {
  auditPageOf,
  auditQuery,
  contactsPageOf,
  deliveriesPageOf,
  deliveriesQuery,
  eventQuery,
  eventsPageOf,
  pageOf,
  pageQuery,
  runsPageOf,
} from './cursors.ts'
import { each, idBesideUnderscore, idWithoutUnderscore, idWithUnderscore } from './record-ids.ts'
import type { Transform } from './transform.ts'

/** v1: access tokens have `id` beside `_id`. */
export const v1Transforms: readonly Transform[] = [
  { contract: createAccessToken, up: idWithUnderscore, down: idBesideUnderscore },
  { contract: listAccessTokens, down: each(idBesideUnderscore) },
  { contract: revokeAccessToken, down: idBesideUnderscore },
]

const page = (contract: Transform['contract']): Transform => ({ contract, query: pageQuery, down: pageOf })
const whole = (contract: Transform['contract']): Transform => ({ contract, down: pageOf })
const pageOfRecords = (contract: Transform['contract']): Transform => ({
  ...page(contract),
  down: (body, facts) => pageOf(each(idWithoutUnderscore)(body), facts),
})
const record = (contract: Transform['contract']): Transform => ({
  contract,
  up: idWithUnderscore,
  down: idWithoutUnderscore,
})

/** v3: lists are `{ results, nextCursor }` and take `cursor`, `_id` is `id`. */
export const v3Transforms: readonly Transform[] = [
  ...[
    listWorkspaces,
    listAutomations,
    listFunctions,
    listSchedules,
    listSessions,
    listSubscriptions,
    listVersionCallers,
  ].map(page),
  ...[listAuthProviders, listSigningKeys, listMasterKeys, listVersions].map(whole),
  ...[listAccessTokens, listApiKeys].map(pageOfRecords),
  ...[createAccessToken, revokeAccessToken, updateApiKey, deleteApiKey].map(record),
  { contract: listEvents, query: eventQuery, down: eventsPageOf },
  { contract: listAudit, query: auditQuery, down: auditPageOf },
  { contract: listSubscriptionDeliveries, query: deliveriesQuery, down: deliveriesPageOf },
  { contract: listRuns, down: runsPageOf },
  { contract: findContacts, query: pageQuery, down: contactsPageOf },
]
