export { createApp, type Mount } from './app.ts'
export { bodyTooLarge, hasBody, mediaTypeOf, piecesOf, readBody } from './body.ts'
export { etagOf, requireMatch, strongEtag } from './conditional.ts'
export { networkOf, setConnectionsPerAddress } from './connection-limit.ts'
export { correlationIdOf, traceIdOf } from './correlation.ts'
export { discardBody, endConnectionWith } from './end-response.ts'
export { refuseAmbiguous } from './guard.ts'
export { showLimit, TooManyRequests } from './limit-state.ts'
export {
  FrameWriter,
  frameKinds,
  LINK_PATH,
  LINK_PROTOCOL,
  PIECE_BYTES,
  readFrames,
  requestText,
} from './links/frames.ts'
export { acceptLinks, type ServedLinks, takeLink } from './links/served-link.ts'
export { serviceListener } from './listener.ts'
export { exposeReadings, type Reading, type ReadingsDefinition } from './metrics/readings.ts'
export { collectProcessMetrics, registry } from './metrics/registry.ts'
export { type CountedRequest, countRequest, firstByteTimes, requestsInFlight } from './metrics/requests.ts'
export { nextLink, nextPage } from './next-page.ts'
export { beginServerSpan, endServerSpan } from './observe-requests.ts'
export { type RequestState, requestState, setRequestState } from './request-state.ts'
export { RouteResponse, respond, sendFailure, sendJson, sendRaw, toFailure } from './respond.ts'
export { keyInUse } from './respond-once.ts'
export { type AutomationText, type RequestInfo, type Route, type RouteInput, route } from './route.ts'
export type {
  IdempotencyStore,
  KeyedRequest,
  KeyState,
  LimitState,
  RateLimiter,
  RouteServices,
  StoredResponse,
} from './route-services.ts'
export { createHardenedServer, type ServerLimits } from './server.ts'
export { decodeUtf8, parseStrictJson } from './strict-json.ts'
export { callerKey, refuseOver } from './take-limits.ts'
export { isWebSocket, refuseUpgrade } from './upgrades.ts'
export { parseQuery, validate } from './validation.ts'
export { wholeRequest } from './whole-request.ts'
