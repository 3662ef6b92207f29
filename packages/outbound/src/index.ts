export { openOutbound } from './open-outbound.ts'
export { type Outbound, type OutboundPolicy, OutboundRefused } from './outbound.ts'
export type { Proxies } from './proxies.ts'
