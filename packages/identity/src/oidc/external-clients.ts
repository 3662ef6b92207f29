import { anonymousScopes, resourceScopes } from '@platform/contracts'
import { z } from 'zod'
import { appRedirectProblem } from './redirect-address.ts'

const CLIENT_ID = /^[A-Za-z0-9._-]{1,100}$/

const redirectAddress = z.string().superRefine((address, problems) => {
  const message = appRedirectProblem(address)
  if (message !== undefined) problems.addIssue({ code: 'custom', message })
})

const ExternalClient = z
  .strictObject({
    client_id: z.string().regex(CLIENT_ID, 'must be 1–100 characters of [A-Za-z0-9._-]'),
    client_name: z.string().trim().min(1).max(100),
    redirect_uris: z.array(redirectAddress).min(1).max(50),
    resourceScopes: z.array(z.enum(resourceScopes)).optional(),
    firstParty: z.boolean().default(true),
  })
  .transform((client) => ({
    ...client,
    resourceScopes: client.resourceScopes ?? (client.firstParty ? resourceScopes : anonymousScopes),
  }))

/** An app of phones, desktops or terminals that the operator knows (OIDC_EXTERNAL_CLIENTS). */
export type ExternalClient = z.output<typeof ExternalClient>

const ExternalClients = z.array(ExternalClient).refine(haveDifferentIds, 'name one client_id twice')

const EXAMPLE = '[{"client_id":"cli","client_name":"CLI","redirect_uris":["http://127.0.0.1/callback"]}]'

/** The variable, as JSON text. What is wrong with it is said in one sentence, with the place. */
export const externalClientsField = z
  .string()
  .default('[]')
  .transform((text, context): ExternalClient[] => {
    const parsed = ExternalClients.safeParse(jsonOf(text))
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    const place = (issue?.path ?? []).map((part) =>
      typeof part === 'number' ? `[${part}]` : `.${String(part)}`,
    )
    const message = `must be a JSON list such as ${EXAMPLE}: ${['list', ...place].join('')} ${issue?.message ?? ''}`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function haveDifferentIds(clients: readonly { client_id: string }[]): boolean {
  return new Set(clients.map(({ client_id }) => client_id)).size === clients.length
}
