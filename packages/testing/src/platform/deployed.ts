import { type Platform, platformOf, platformSecrets } from './start-platform.ts'

/**
 * A platform that somebody else has brought up, for example in containers, at the origin E2E_ORIGIN names; undefined
 * where that is not set. It has the administrator and the internal key of platforms under test and no rate limits;
 * its processes are nobody's to stop.
 */
export const deployedPlatform = (): Platform | undefined => {
  const { E2E_ORIGIN: origin = '' } = process.env
  return origin === '' ? undefined : platformOf([origin], { ...platformSecrets }, {})
}
