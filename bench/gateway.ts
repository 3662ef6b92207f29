import { startUnderTest } from './forwarding/processes-under-test.ts'
import { calm } from './gateway/calm.ts'
import { compare } from './gateway/compare.ts'
import { gatewayOfImage } from './gateway/image.ts'
import { memory } from './gateway/memory.ts'
import { scale } from './gateway/scale.ts'
import type { Figure } from './measure/figure.ts'

/** Minutes of load whose growth is measured: `--soak=10`. */
const soakMinutes = Number(process.argv.find((argument) => argument.startsWith('--soak='))?.slice(7) ?? 1)

/** The gateway against what people would otherwise put there, at 70 % of its load, over time, and on two cores. */
export async function gateway(): Promise<Figure[]> {
  return [...(await compare()), ...(await inMemory()), ...(await calm()), ...(await scale())]
}

async function inMemory(): Promise<Figure[]> {
  await using under = await startUnderTest(gatewayOfImage())
  return await memory(under, soakMinutes)
}
