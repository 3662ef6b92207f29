import {
  count,
  httpUrl,
  inSecret,
  isOwnMachine,
  list,
  nodeEnv,
  type ProxySettings,
  proxySettings,
  proxyVariables,
} from '@platform/config'
import { masterKeysField } from '@platform/master-keys'
import type { z } from 'zod'

/** What outgoing webhooks read. */
export const webhookVariables = {
  SECRETS_MASTER_KEYS: inSecret(
    masterKeysField.describe('<id>:<base64 of 32 bytes>, comma list; the first one seals.'),
  ),
  WEBHOOKS_ALLOWED_HOSTS: list('').describe(
    'Hosts, addresses and ranges webhooks may be sent to although they are private, ' +
      'for example hooks.internal,10.1.0.0/16. In development on loopback (NODE_ENV, HOST, ' +
      'API_URL) this machine is one of them.',
  ),
  NODE_ENV: nodeEnv,
  ...proxyVariables,
  API_URL: httpUrl('http://localhost:3001/v2').describe('Public address of the API.'),
  WEBHOOKS_IN_FLIGHT: count(200).describe('Webhooks one process sends at once.'),
  WEBHOOKS_PAUSE_AFTER_HOURS: count(120).describe(
    'Hours after which a subscription is paused none of whose deliveries arrived.',
  ),
  WEBHOOKS_MAX_PER_WORKSPACE: count(100).describe('Subscriptions a workspace may have.'),
}

export interface WebhookSettings {
  allowedHosts: readonly string[]
  /** A developer has receivers on the machine that the platform runs on. */
  allowsLoopback: boolean
  proxies: ProxySettings
  inFlight: number
  pauseAfterHours: number
  maxPerWorkspace: number
}

type WebhooksEnv = z.infer<z.ZodObject<typeof webhookVariables>> & { HOST: string }

export const webhookSettings = (env: WebhooksEnv): WebhookSettings => ({
  allowedHosts: env.WEBHOOKS_ALLOWED_HOSTS,
  allowsLoopback: isOwnMachine(env),
  proxies: proxySettings(env),
  inFlight: env.WEBHOOKS_IN_FLIGHT,
  pauseAfterHours: env.WEBHOOKS_PAUSE_AFTER_HOURS,
  maxPerWorkspace: env.WEBHOOKS_MAX_PER_WORKSPACE,
})
