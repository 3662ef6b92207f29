import { type Environments, presetText, type Variable, variablesOf } from './variables.ts'

const HEAD = `# Configuration

Generated from the configuration of each service. Every process reads its environment once, at its start. An empty
variable is an unset one.

A variable that holds a secret may be given as a file: \`<name>_FILE\` is a path, and the content of that file, without
a last line feed, is the value. Given both ways, or with a file that can’t be read, no process starts.
\`DATABASE_PASSWORD\`, \`CACHE_PASSWORD\`, \`BROKER_PASSWORD\` and \`SEARCH_PASSWORD\` belong to the user in the URL
beside them, which has no password then.

| Variable | Read by | Default | Meaning |
|---|---|---|---|
`

/** One table of every variable: who reads it, its default, what it means. */
export const configurationPage = (environments: Environments): string =>
  `${HEAD}${variablesOf(environments).map(row).join('\n')}\n`

function row({ name, isSecret, isRequired, readers, preset, description }: Variable): string {
  const names = isSecret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``
  const text = inCell(presetText(preset))
  const presetCell = text === '' ? (isRequired ? 'required' : '') : `\`${text}\``
  return `| ${names} | ${readers.join(', ')} | ${presetCell} | ${inCell(description)} |`
}

const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
