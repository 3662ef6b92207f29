import { type Document, isScalar, parseDocument, visit } from 'yaml'
import { refuseExcessiveMerges } from './merge-keys.ts'
import { TextLines, UnreadableText } from './unreadable-text.ts'
import { MAX_ALIASES, refuseOversizedYaml } from './yaml-limits.ts'

export type YamlDocument = Document.Parsed

/** Most problems of a text in one response. */
const MAX_FAULTS = 50

/**
 * One YAML 1.2 document: core schema, unique text keys, few aliases, merge keys, no tags of its own. Throws
 * UnreadableText.
 */
export function readYamlDocument(text: string): { document: YamlDocument; value: unknown } {
  const lines = new TextLines(text)
  const refuse = (message: string, offset = 0) => {
    throw new UnreadableText([{ ...lines.placeOf(offset), path: '', message }])
  }
  refuseOversizedYaml(text, refuse)
  const document = parse(text, refuse)
  const faults = [...document.errors, ...document.warnings, ...repeatedKeys(document)].slice(0, MAX_FAULTS)
  if (faults.length > 0) {
    throw new UnreadableText(
      faults.map(({ message, pos }) => ({ ...lines.placeOf(pos[0]), path: '', message: sentence(message) })),
    )
  }
  refuseDirectives(document, refuse)
  refuseExcessiveMerges(document, refuse)
  return { document, value: plainValue(document, refuse) }
}

type Refuse = (message: string, offset?: number) => void

function parse(text: string, refuse: Refuse): YamlDocument {
  try {
    return parseDocument(text, {
      version: '1.2',
      schema: 'core',
      resolveKnownTags: false,
      stringKeys: true,
      merge: true,
      // The library compares every key with every other one; `repeatedKeys` does it in one pass.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    refuse('The text is nested too deeply to be read.')
    throw error
  }
}

interface Fault {
  message: string
  pos: [number, number]
}

function repeatedKeys(document: YamlDocument): Fault[] {
  const faults: Fault[] = []
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue
        const name = String(key.value)
        const start = key.range?.[0] ?? 0
        if (seen.has(name))
          faults.push({ message: `the key "${name.slice(0, 60)}" is there twice`, pos: [start, start] })
        seen.add(name)
      }
    },
  })
  return faults
}

/** `%YAML 1.1` would change what `yes` and `on` mean, and a tag handle what any value means. */
function refuseDirectives({ directives }: YamlDocument, refuse: Refuse): void {
  const { version, explicit } = directives.yaml
  const handles = Object.keys(directives.tags).filter((handle) => handle !== '!!')
  if ((explicit === true && version !== '1.2') || handles.length > 0) {
    refuse('Directives are not allowed: the text is YAML 1.2.')
  }
}

function plainValue(document: YamlDocument, refuse: Refuse): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch {
    return refuse(
      `The text uses too many aliases or one that is not defined before it: at most ${MAX_ALIASES}.`,
    )
  }
}

const sentence = (message: string): string =>
  message.includes('call stack')
    ? 'The text is nested too deeply to be read.'
    : `The text is not valid YAML: ${message.replace(/\.$/, '').slice(0, 300)}.`
