// Made from packages/contracts/src/services.ts by `npm run generate`.
import type { Service } from '@platform/service'
import { apiGateway } from '../../api-gateway/src/service.ts'
import { events } from '../../events/src/service.ts'
import { runtime } from '../../runtime/src/service.ts'
import { workspaces } from '../../workspaces/src/service.ts'

export const services: readonly Service[] = [workspaces, runtime, events, apiGateway]
