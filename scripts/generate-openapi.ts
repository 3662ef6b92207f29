// docs/openapi.json from the contracts that validate requests and filter answers (ADR 0008, ADR 0027).
import { writeFileSync } from 'node:fs'
import { describeApi } from '@platform/openapi'

const document = describeApi({ origin: '/' })
writeFileSync('docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`)
console.log(`docs/openapi.json: ${Object.keys(document.paths as object).length} paths`)
