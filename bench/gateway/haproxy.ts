import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@platform/testing/platform'
import { executable } from '../measure/tools.ts'

const common = `
global
  nbthread 1
  maxconn 4000
  log /dev/null local0
defaults
  mode http
  timeout connect 1s
  timeout client 75s
  timeout server 75s
  timeout http-keep-alive 75s
`

/**
 * As a careful operator would: RS256, issuer, audience and expiry are checked on every request, keep-alive on both
 * sides.
 */
export function verifyingProxy(
  directory: string,
  {
    port,
    upstreamPort,
    publicKeyPem,
    issuer,
  }: { port: number; upstreamPort: number; publicKeyPem: string; issuer: string },
): string {
  const key = join(directory, 'key.pem')
  writeFileSync(key, publicKeyPem)
  return written(
    directory,
    'verifying.cfg',
    `${common}
frontend api
  bind 127.0.0.1:${port}
  http-request set-var(txn.bearer) http_auth_bearer
  http-request set-var(txn.iss) http_auth_bearer,jwt_payload_query('$.iss')
  http-request set-var(txn.exp) http_auth_bearer,jwt_payload_query('$.exp','int')
  http-request set-var(txn.sub) http_auth_bearer,jwt_payload_query('$.sub')
  http-request set-var(txn.now) date()
  http-request deny deny_status 401 unless { http_auth_bearer,jwt_header_query('$.alg') -m str RS256 }
  http-request deny deny_status 401 unless { http_auth_bearer,jwt_verify("RS256","${key}") 1 }
  http-request deny deny_status 401 unless { var(txn.iss) -m str "${issuer}" }
  http-request deny deny_status 401 if { var(txn.exp),sub(txn.now) -m int lt 0 }
  http-request del-header x-platform- -m beg
  http-request set-header x-platform-user-id %[var(txn.sub)]
  default_backend service
backend service
  http-reuse always
  server service 127.0.0.1:${upstreamPort}
`,
  )
}

/** A cheap upstream that answers 1 KB, so that load and upstream leave the cores to what is measured. */
export async function startUpstream(): Promise<{ port: number; pid: number } & Disposable> {
  const directory = mkdtempSync(join(tmpdir(), 'upstream-'))
  const [port = 0] = await freePorts(1)
  const body = JSON.stringify({ text: 'x'.repeat(1012) })
  const config = written(
    directory,
    'upstream.cfg',
    `${common}
frontend upstream
  bind 127.0.0.1:${port}
  http-request return status 200 content-type application/json string '${body}'
`,
  )
  const upstream = spawn(executable('haproxy'), ['-db', '-f', config], { stdio: 'inherit' })
  return {
    port,
    pid: upstream.pid ?? 0,
    [Symbol.dispose]: () => {
      upstream.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function written(directory: string, name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}
