import { type Node as JsonNode, parseTree } from 'jsonc-parser'
import { isAlias, isMap, isScalar, isSeq, type YAMLMap, type Node as YamlNode } from 'yaml'
import { isMergeKey, mergedMaps } from './merge-keys.ts'
import { formatPath, type Path, type Problem, type ProblemDetail } from './problem.ts'
import { readJsonValue } from './read-json.ts'
import { readYamlDocument, type YamlDocument } from './read-yaml.ts'
import { type LinePlace, TextLines } from './unreadable-text.ts'

/** A definition as it arrived: its value, and the way from a problem back to its line and column. */
export interface SourceText {
  value: unknown
  locate(problem: Problem): ProblemDetail
  /** Where a key stands, or its nearest parent. */
  placeOf(path: Path): LinePlace
}

/** A piece of a text: offsets, and the text it stands for. */
interface Span {
  start: number
  end: number
  /** The value, where it is a text. */
  text: string | undefined
}

interface Place {
  key: Span
  value: Span | undefined
  /** Steps down one level; undefined when there is nothing. */
  child(segment: string | number): Place | undefined
}

/** Strict JSON. Throws UnreadableText. */
export function readJsonText(text: string): SourceText {
  let root: Place | undefined
  return sourceText(text, readJsonValue(text), () => (root ??= jsonPlace(parseTree(text))))
}

/** YAML 1.2. Throws UnreadableText. */
export function readYamlText(text: string): SourceText {
  const { document, value } = readYamlDocument(text)
  let root: Place | undefined
  return sourceText(text, value, () => (root ??= yamlPlace(document, document.contents)))
}

function sourceText(text: string, value: unknown, root: () => Place): SourceText {
  const lines = new TextLines(text)
  const locate = (problem: Problem): ProblemDetail => {
    const span = spanOf(root(), problem)
    const inside = problem.textOffset === undefined ? 0 : offsetInside(text, span, problem.textOffset)
    const path = formatPath(problem.path)
    const message = `${path === '' ? 'The automation' : path} ${problem.message}.`
    return { ...lines.placeOf(span.start + inside), path, message }
  }
  const placeOf = (path: Path) => lines.placeOf(spanOf(root(), { path, onKey: true }).start)
  return { value, locate, placeOf }
}

/** What is missing is shown at its nearest parent's key. */
function spanOf(root: Place, problem: Pick<Problem, 'path' | 'at' | 'onKey'>): Span {
  let place = root
  for (const segment of problem.at ?? problem.path) {
    const next = place.child(segment)
    if (next === undefined) return place.key
    place = next
  }
  return problem.onKey === true ? place.key : (place.value ?? place.key)
}

const nowhere: Span = { start: 0, end: 0, text: undefined }

function jsonPlace(node: JsonNode | undefined, key?: Span): Place {
  const value = node === undefined ? undefined : jsonSpan(node)
  return {
    key: key ?? value ?? nowhere,
    value,
    child(segment) {
      const children = node?.children ?? []
      if (node?.type === 'array') return childPlace(children[Number(segment)])
      const pair = children.find((property) => property.children?.[0]?.value === String(segment))
      return pair?.children?.[0] === undefined
        ? undefined
        : jsonPlace(pair.children[1], jsonSpan(pair.children[0]))
    },
  }
}

const childPlace = (node: JsonNode | undefined): Place | undefined =>
  node === undefined ? undefined : jsonPlace(node)

const jsonSpan = ({ offset, length, value }: JsonNode): Span => ({
  start: offset,
  end: offset + length,
  text: typeof value === 'string' ? value : undefined,
})

/** The children are listed once: all instructions of a text are looked for in it. */
function yamlPlace(document: YamlDocument, node: YamlNode | null, key?: Span): Place {
  const value = node === null ? undefined : yamlSpan(node)
  let children: ReadonlyMap<string, Place> | undefined
  const child = (segment: string | number) => {
    children ??= yamlChildren(document, isAlias(node) ? node.resolve(document) : node)
    return children.get(String(segment))
  }
  return { key: key ?? value ?? nowhere, value, child }
}

function yamlChildren(document: YamlDocument, parent: unknown): ReadonlyMap<string, Place> {
  const children = new Map<string, Place>()
  if (isSeq<YamlNode>(parent))
    for (const [index, item] of parent.items.entries()) children.set(String(index), yamlPlace(document, item))
  if (isMap<YamlNode, YamlNode | null>(parent)) addFields(document, parent, children)
  return children
}

/** Those of the map itself, and behind them those it gets by a merge key: they stand where they were written. */
function addFields(
  document: YamlDocument,
  { items }: YAMLMap<YamlNode, YamlNode | null>,
  children: Map<string, Place>,
): void {
  for (const { key, value } of items)
    if (isScalar(key) && !isMergeKey(key))
      children.set(String(key.value), yamlPlace(document, value, yamlSpan(key)))
  const merges = items.filter(({ key }) => isMergeKey(key))
  const merged = merges.flatMap(({ value }) => mergedMaps(document, value) ?? [])
  for (const [name, place] of merged.flatMap((source) => [...yamlChildren(document, source)]))
    if (!children.has(name)) children.set(name, place)
}

const yamlSpan = (node: YamlNode): Span => ({
  start: node.range?.[0] ?? 0,
  end: node.range?.[1] ?? 0,
  text: isScalar(node) && typeof node.value === 'string' ? node.value : undefined,
})

/**
 * Finds an offset of a text in its spelling: exact where a line is spelled as it is, else the beginning of the text.
 */
function offsetInside(source: string, span: Span, offset: number): number {
  if (span.text === undefined) return 0
  const lineStart = span.text.lastIndexOf('\n', offset - 1) + 1
  const upToMistake = span.text.slice(lineStart, offset)
  const rest = span.text.slice(offset, offset + 20).split('\n', 1)[0] ?? ''
  const at = source.slice(span.start, span.end).indexOf(upToMistake + rest)
  return at < 0 ? 0 : at + upToMistake.length
}
