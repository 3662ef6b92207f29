import { Secret, TOTP } from 'otpauth'

/** RFC 6238 as every authenticator speaks it. */
const PERIOD_SECONDS = 30
const STEPS_EITHER_SIDE = 1
const SECRET_BYTES = 20

/** A fresh secret, base32. */
export const newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

/** What the picture for an authenticator says. */
export const enrolmentUri = (secret: string, { issuer, label }: { issuer: string; label: string }): string =>
  totpOf(secret, { issuer, label }).toString()

/** Which 30 s a code belongs to, when it is one of now or either side of now. */
export function stepOf(code: string, secret: string, now: Date): number | undefined {
  const totp = totpOf(secret)
  const timestamp = now.getTime()
  const delta = totp.validate({ token: code, timestamp, window: STEPS_EITHER_SIDE })
  return delta === null ? undefined : totp.counter({ timestamp }) + delta
}

/** A code as it was typed, in groups or not; undefined for what is none. */
export function readOneTimeCode(typed: string): string | undefined {
  const code = typed.replace(/[\s-]/g, '')
  return /^\d{6}$/.test(code) ? code : undefined
}

const totpOf = (secret: string, names: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({
    ...names,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  })
