import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a server of a test shows and signs with, as PEM. */
export interface Certificate {
  key: string
  cert: string
}

/** A certificate for this machine that vouches for itself. */
export const ownCertificate = (): Certificate => inFolder((folder) => made(folder, 'own', forThisMachine))

/** A certificate for this machine, and that of the authority which signed it. */
export const signedCertificate = (): Certificate & { authority: string } =>
  inFolder((folder) => {
    const { cert: authority } = made(folder, 'authority', [])
    const signer = ['-CA', join(folder, 'authority.pem'), '-CAkey', join(folder, 'authority.key')]
    const isNone = ['-addext', 'basicConstraints=critical,CA:FALSE']
    return { ...made(folder, 'signed', [...forThisMachine, ...signer, ...isNone]), authority }
  })

const forThisMachine = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']

const fresh = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']

function made(folder: string, name: string, more: readonly string[]): Certificate {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)]
  const files = ['-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', ...fresh, '-subj', `/CN=${name}`, ...files, ...more], { stdio: 'pipe' })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  try {
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
