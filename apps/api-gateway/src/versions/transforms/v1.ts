import { createAccessToken, listAccessTokens, revokeAccessToken } from '@platform/contracts'
import { each, idBesideUnderscore, idWithUnderscore } from './record-ids.ts'
import type { Transform } from './transform.ts'

/** v1: access tokens have `id` beside `_id` (decisions B4). */
export const v1Transforms: readonly Transform[] = [
  { contract: createAccessToken, up: idWithUnderscore, down: idBesideUnderscore },
  { contract: listAccessTokens, down: each(idBesideUnderscore) },
  { contract: revokeAccessToken, down: idBesideUnderscore },
]
