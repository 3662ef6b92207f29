import { availableParallelism } from 'node:os'
import { BUNDLES_ARE_BUILT } from '@platform/testing/platform'
import { chosen, type Part } from './cases.ts'
import { bundleApps } from './gateway/image.ts'
import { type Figure, isOk, line, table } from './measure/figure.ts'
import { requireTools } from './measure/tools.ts'

/**
 * Measures one after the other and shows each figure as it comes; what fails keeps nothing else from being measured.
 */
async function measured(parts: Map<string, Part>): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, part] of parts) {
    console.error(`${name} …`)
    try {
      const some = await part.measure()
      for (const figure of some) console.error(`  ${line(figure)}`)
      figures.push(...some)
    } catch (error) {
      console.error(error)
      process.exitCode = 1
    }
  }
  return figures
}

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
let parts = new Map<string, Part>()
try {
  parts = chosen(names)
  requireTools([...new Set([...parts.values()].flatMap(({ needs = [] }) => needs))])
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

// All in one is measured as `npm start` runs it.
bundleApps('all-in-one')
process.env[BUNDLES_ARE_BUILT] = '1'

const figures = await measured(parts)
if (process.argv.includes('--json'))
  for (const figure of figures) console.log(JSON.stringify({ ...figure, ok: isOk(figure) }))
else console.log(`\n${table(figures)}\n\n${availableParallelism()} cores, Node ${process.version}`)
if (!figures.every(isOk)) process.exitCode = 1
