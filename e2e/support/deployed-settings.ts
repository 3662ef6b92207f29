// Prints settings for Compose that make deploy/compose/platform.yaml a platform the end-to-end tests know (E2E_ORIGIN).
import { ADMIN, platformSecrets } from '@platform/testing/platform'

const environment = {
  INTERNAL_API_KEY: platformSecrets.INTERNAL_API_KEY,
  INTERNAL_API_KEY_FILE: '',
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  ACCOUNT_VALIDATION_METHOD: 'auto',
  RATE_LIMIT_DISABLED: 'true',
  // A machine that runs tests is busy: that is no overload.
  GATEWAY_MAX_LAG_MS: '0',
}
const names = ['api-gateway', 'workspaces', 'runtime', 'events', 'functions']
console.log(
  JSON.stringify({ services: Object.fromEntries(names.map((name) => [name, { environment }])) }, null, 2),
)
