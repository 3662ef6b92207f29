export { type OpenIdempotency, openIdempotency } from './open-idempotency.ts'
