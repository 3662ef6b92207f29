export { idempotencyMigrations, type OpenIdempotency, openIdempotency } from './open-idempotency.ts'
