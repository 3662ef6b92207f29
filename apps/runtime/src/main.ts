import { contained } from '@platform/service/processes'
import { runsAlone, supervise } from './processes/supervise.ts'

// What executes automations is loaded only where that is done.
const self = contained()
if (self !== undefined) {
  const [{ runContained }, { runtime }] = await Promise.all([
    import('@platform/service'),
    import('./service.ts'),
  ])
  await runContained(self, runtime, process.env)
} else if (runsAlone(process.env, process.argv.slice(2))) {
  const [{ run }, { runtime }] = await Promise.all([import('@platform/service'), import('./service.ts')])
  await run([runtime], process.env)
} else {
  await supervise(process.env, process.argv[1] ?? '')
}
