// Made from packages/contracts/src/services.ts by `npm run generate`.
import { environment as apiGateway } from '../../../api-gateway/src/config.ts'
import { environment as events } from '../../../events/src/config.ts'
import { environment as functions } from '../../../functions/src/config.ts'
import { environment as runtime } from '../../../runtime/src/config.ts'
import { environment as workspaces } from '../../../workspaces/src/config.ts'

export const environments = {
  'api-gateway': apiGateway,
  workspaces,
  runtime,
  events,
  functions,
}
