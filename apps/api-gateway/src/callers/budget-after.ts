import { STORE_BUDGET_MS } from '@platform/kernel'

/** A credential that took no longer than this was no wait for a database. */
const QUICK_MS = 100

/** Milliseconds that are left of the budget of a request whose credential took so long; undefined for all of it. */
export const budgetAfter = (credentialMs: number): number | undefined =>
  credentialMs <= QUICK_MS ? undefined : Math.max(0, Math.floor(STORE_BUDGET_MS - credentialMs))
