import type { Env } from '@platform/config'
import type { RunningService } from '@platform/service'

/** Tells a person where the platform is and how to go on; the first sign-in was printed before, once. */
export function announceReady(running: readonly RunningService[], env: Env): void {
  const gateway = running.find(({ name }) => name === 'api-gateway')
  const origin = new URL(env.API_URL ?? gateway?.url ?? '').origin
  const lines = [
    '',
    `  The platform is ready at ${origin}`,
    '',
    `  Sign in        ${origin}/signin  as the administrator, whose password the first start has told`,
    `  Password lost  ${env.OPS_COMMAND} admin reset-password ${administrator(env)}`,
    `  Documentation  ${origin}/docs`,
    ...sampleLines(origin, env),
    `  Status         ${origin}/`,
    '  Stop           Ctrl-C',
    '',
  ]
  if (env.RATE_LIMIT_DISABLED === 'true')
    lines.push('  Rate limits are off (RATE_LIMIT_DISABLED): use this for benches and tests only.', '')
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Whom the first start has made the administrator. */
const administrator = ({ ADMIN_EMAIL, SUPER_ADMIN_EMAILS }: Env): string =>
  ADMIN_EMAIL ?? SUPER_ADMIN_EMAILS?.split(',')[0]?.trim() ?? 'admin@localhost'

/** The first start has made it. */
const sampleLines = (origin: string, env: Env): string[] =>
  env.SAMPLE_WORKSPACE === 'false'
    ? []
    : [
        '  Sample         the workspace hello, whose first automation answers',
        `                 curl -d name=Ada ${origin}/v2/workspaces/slug:hello/webhooks/greet`,
      ]
