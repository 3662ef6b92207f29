import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'

type YamlDocument = Document.Parsed

/** What merge keys write out, at most, in texts, numbers, lists and maps. */
const MAX_MERGED = 50_000

/** `<<` as it is written bare: what stands behind it is merged into the map around. */
export const isMergeKey = (key: unknown): boolean =>
  isScalar(key) && key.value === '<<' && (key.type === undefined || key.type === 'PLAIN')

/** The maps behind a merge key, the first of which wins; undefined where something else is among them. */
export function mergedMaps(document: YamlDocument, value: unknown): YAMLMap[] | undefined {
  const given = resolved(document, value)
  const sources = isSeq(given) ? given.items.map((one) => resolved(document, one)) : [given]
  return sources.every((one) => isMap(one)) ? sources : undefined
}

const resolved = (document: YamlDocument, value: unknown): unknown =>
  isAlias(value) ? value.resolve(document) : value

type Refuse = (message: string, offset?: number) => void

/**
 * Refuses merge keys without maps, and those that would write out more than a text may have: each writes its sources
 * out anew, and theirs, so that a few lines could make a value of any size.
 */
export function refuseExcessiveMerges(document: YamlDocument, refuse: Refuse): void {
  const sizes = new Map<Node, Sizes | 'unknown'>()

  const sizesOf = (node: unknown): Sizes => {
    if (isSeq(node) || isMap(node)) return remembered(node)
    return single
  }
  const remembered = (node: Node): Sizes => {
    const known = sizes.get(node)
    if (known === 'unknown') refuse('A map can’t be merged into itself.', node.range?.[0])
    if (known !== undefined && known !== 'unknown') return known
    sizes.set(node, 'unknown')
    const total = { ...single }
    for (const part of partsOf(node)) add(total, part)
    sizes.set(node, total)
    return total
  }
  const partsOf = (node: Node): Sizes[] => {
    if (isSeq(node)) return node.items.map(sizesOf)
    if (!isMap(node)) return []
    return node.items.flatMap(({ key, value }) =>
      isMergeKey(key) ? sourcesOf(key as Node, value) : [sizesOf(value)],
    )
  }
  /** All that is written out of a source is merged. */
  const sourcesOf = (key: Node, value: unknown): Sizes[] => {
    const sources = mergedMaps(document, value)
    if (sources === undefined)
      refuse('Behind “<<” there must be a map, an alias of one, or a list of these.', key.range?.[0])
    return (sources ?? []).map((source) => {
      const { all } = sizesOf(source)
      if (all > MAX_MERGED) refuse(`Merge keys write out more than ${MAX_MERGED} values.`, key.range?.[0])
      return { all, merged: all }
    })
  }
  const { merged } = sizesOf(document.contents)
  if (merged > MAX_MERGED) refuse(`Merge keys write out more than ${MAX_MERGED} values.`)
}

/** How many values a node becomes, and how many of them by merging. */
interface Sizes {
  all: number
  merged: number
}

const single: Readonly<Sizes> = { all: 1, merged: 0 }

function add(total: Sizes, { all, merged }: Sizes): void {
  total.all += all
  total.merged += merged
}
