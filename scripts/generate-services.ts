// The files that name every service, from the table packages/contracts/src/services.ts, and what the image of all in
// one starts Node with, from what `npm start` does.
import { readFileSync, writeFileSync } from 'node:fs'
import {
  composeDefaults,
  composeFile,
  dockerfile,
  environmentsModule,
  scrapeFile,
  servicesModule,
  withVersion,
} from './generate/service-files.ts'

const rewrite = (file: string, change: (text: string) => string) =>
  writeFileSync(file, change(readFileSync(file, 'utf8')))

writeFileSync('apps/all-in-one/src/services.ts', servicesModule())
writeFileSync('apps/ops/src/config/environments.ts', environmentsModule())
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
rewrite('deploy/compose/platform.yaml', (text) => composeFile(text, version))
rewrite('deploy/compose/all-in-one.yaml', (text) => withVersion(text, version))
rewrite('deploy/compose/platform.defaults.env', composeDefaults)
rewrite('deploy/prometheus/scrape.yaml', scrapeFile)
rewrite('deploy/images/Dockerfile', dockerfile)

const { NODE_OPTIONS } = JSON.parse(readFileSync('scripts/set-up/small-memory.json', 'utf8')) as {
  NODE_OPTIONS: string
}
writeFileSync('deploy/images/flags/all-in-one', `${NODE_OPTIONS}\n`)
