import { startAllInOne } from '@platform/testing/platform'
import { startUnderTest } from './forwarding/processes-under-test.ts'
import { gatewayOfImage } from './gateway/image.ts'
import { codeExchange } from './identity/code-exchange.ts'
import { unknownKeys } from './identity/unknown-keys.ts'
import { verification } from './identity/verification.ts'
import { wrongPasswords } from './identity/wrong-passwords.ts'
import type { Figure } from './measure/figure.ts'

/** What credentials cost: to check, to forge, to issue, to guess. */
export async function identity(): Promise<Figure[]> {
  const figures: Figure[] = []
  {
    await using under = await startUnderTest(gatewayOfImage())
    figures.push(...(await verification(under)), ...(await unknownKeys(under)))
  }
  await using platform = await startAllInOne({ SAMPLE_WORKSPACE: 'false' })
  figures.push(...(await codeExchange(platform)), ...(await wrongPasswords(platform)))
  return figures
}
