// No library whose licence is not allowed goes into an image: `npm run check licences`.
import { fileURLToPath } from 'node:url'
import { serviceNames } from '@platform/contracts'
import { librariesOf, licenceProblems, packagesIn, sbomOf } from './release/what-ships.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const title = { name: 'platform', version: '0' }
const libraries = librariesOf(sbomOf(root, packagesIn('all-in-one', serviceNames), title))
const problems = licenceProblems(libraries)
for (const problem of problems) console.error(problem)
console.log(
  `${libraries.length} libraries ship, ${problems.length} of them under a licence that is not allowed`,
)
process.exitCode = problems.length > 0 ? 1 : 0
