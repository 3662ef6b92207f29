import { services } from '@platform/contracts'
import { type Environments, presetText, type Variable, variablesOf } from './variables.ts'

const HEAD = `# Settings of the platform in containers. Copy this file to platform.env beside it, take the # away before
# what you set, and start:
#
#   cp deploy/compose/platform.env.example deploy/compose/platform.env
#   docker compose -f deploy/compose/platform.yaml up --wait
#
# Without platform.env everything has a default, and the addresses of the stores and the secrets are those of
# platform.defaults.env. The last one that sets a variable counts; an empty variable is an unset one. A $ is written $$,
# and a value with a # or a space in 'quotes'.
#
# A variable that holds a secret may be given as the path of a file in the container instead: <name>_FILE. Where
# platform.defaults.env has one, empty it to give the value itself:
#
#   DATABASE_URL=postgres://platform:a-password@db.example.com:5432/platform
#   DATABASE_PASSWORD_FILE=
#
# What lies in the folder files beside this file is in /etc/platform of the containers:
#
#   SMTP_PASS_FILE=/etc/platform/smtp-password
#
# Made from the configuration of each service by \`npm run generate\`; docs/configuration.md is the same as a table.
`

/** What the images and platform.yaml settle. */
const settled = new Set<string>([
  'CONFIGURED_IN',
  'DATA_DIRECTORY',
  'HOST',
  ...Object.values(services).map(({ portVariable }) => portVariable),
])

/** Every variable an operator may give to containers, each as a comment with its default. */
export const environmentExample = (environments: Environments): string =>
  [
    HEAD,
    ...variablesOf(environments)
      .filter(({ name }) => !settled.has(name))
      .map(entry),
  ].join('\n')

function entry({ name, isSecret, readers, preset, description }: Variable): string {
  const readBy = readers.join(', ')
  const file = isSecret ? [`#${name}_FILE=`] : []
  return [
    ...wrapped(`${description} (${readBy})`),
    `#${name}=${quoted(presetText(preset))}`,
    ...file,
    '',
  ].join('\n')
}

/** Compose takes what is in single quotes as it is. */
const quoted = (text: string): string => (/[\s#$"'{]/.test(text) ? `'${text}'` : text)

const WIDTH = 118

function wrapped(text: string): string[] {
  const lines: string[] = []
  let line = '#'
  for (const word of text.split(/\s+/)) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = '#'
    }
    line += ` ${word}`
  }
  return [...lines, line]
}
