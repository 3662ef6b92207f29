import { spawn } from 'node:child_process'
import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@platform/testing/platform'
import { startUnderTest, type UnderTest } from '../forwarding/processes-under-test.ts'
import { executable } from '../measure/tools.ts'
import { verifyingProxy } from './haproxy.ts'
import { gatewayOfImage } from './image.ts'

/** One of the gateways that are compared. */
export interface Contender {
  pid: number
  url: string
}

/** Ours, the bare dispatch, HAProxy and an Express gateway, in front of the same upstream. */
export interface Contest extends AsyncDisposable {
  under: UnderTest
  contenders: Record<'ours' | 'bare' | 'haproxy' | 'express', Contender>
}

export async function startContest(): Promise<Contest> {
  const stack = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'contest-'))
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const under = stack.use(await startUnderTest(gatewayOfImage()))
  const publicKeyPem = await signingKeyOf(under.gatewayUrl)
  const [haproxyPort = 0, expressPort = 0] = await freePorts(2)
  const { upstreamPort } = under

  const config = verifyingProxy(directory, {
    port: haproxyPort,
    upstreamPort,
    publicKeyPem,
    issuer: issuerOf(under),
  })
  const haproxy = spawn(executable('haproxy'), ['-db', '-f', config], { stdio: 'inherit' })
  stack.defer(() => void haproxy.kill())
  const key = Buffer.from(publicKeyPem).toString('base64')
  const express = await under.launch(
    'express gateway',
    'bench/gateway/express-gateway.ts',
    /is listening/,
    {},
    [expressPort, upstreamPort, key],
  )
  return {
    under,
    contenders: {
      ours: { pid: under.gateway.pid, url: under.gatewayUrl },
      bare: { pid: under.bare.pid, url: under.bareUrl },
      haproxy: { pid: haproxy.pid ?? 0, url: `http://127.0.0.1:${haproxyPort}` },
      express: { pid: express.pid, url: `http://127.0.0.1:${expressPort}` },
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** The key that signed the token, as PEM. */
async function signingKeyOf(gatewayUrl: string): Promise<string> {
  const { keys } = (await (await fetch(`${gatewayUrl}/oidc/jwks`)).json()) as { keys: JsonWebKey[] }
  const [key] = keys
  if (key === undefined) throw new Error('The gateway publishes no key.')
  return createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString()
}

/** As the token says it. */
function issuerOf({ token }: UnderTest): string {
  const [, payload = ''] = token.split('.')
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iss: string }).iss
}
