import { type ServiceLine, services } from '@platform/contracts'
import { stringify } from 'yaml'
import { isSecret, type ServiceVariables } from './service-variables.ts'

/**
 * What the templates of the chart loop over: the lines of the service registry with the variables each service may be
 * given, and those it does not start without.
 */
export function chartServices(known: readonly ServiceVariables[]): string {
  const lines = known.map(({ name, fields, required }) => {
    const { port, urlVariable, needs, optional }: ServiceLine = services[name]
    const secrets = required.filter((variable) => isSecret(variable, fields.get(variable) ?? {}))
    const switched = optional === true ? { optional } : {}
    const variables = [...fields.keys()]
    return [name, { port, urlVariable, needs: [...needs], ...switched, required, secrets, variables }]
  })
  const head =
    '# Made from packages/contracts/src/services.ts and the configuration of each service by `npm run generate`.\n'
  return (
    head +
    stringify({ services: Object.fromEntries(lines) }, { lineWidth: 120, flowCollectionPadding: false })
  )
}

/** Chart.yaml with the version of the product. */
export const chartFile = (text: string, version: string): string =>
  text
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: "${version}"`)
