import type { Outbound } from '@platform/outbound'
import { asWebhookRefusal } from './send-webhook.ts'

/**
 * What of a saved subscription will not arrive as it is; nothing beside the subscription where there is nothing to
 * say.
 */
export async function warningsOf(
  outbound: Pick<Outbound, 'expectedRefusal'>,
  { url }: { url: string },
): Promise<{ warnings?: { path: string; message: string }[] }> {
  const refusal = await outbound.expectedRefusal(new URL(url))
  if (refusal === undefined) return {}
  return { warnings: [{ path: 'url', message: `Nothing will be delivered: ${asWebhookRefusal(refusal)}` }] }
}
