/** The modules of Node that functions find: those that only calculate. */
const modulesOfNode = ['assert', 'buffer', 'crypto', 'events', 'path', 'querystring', 'url', 'util'] as const

/** `crypto` of `node:crypto`; undefined for what is none of them. */
export const moduleOfNode = (name: string): (typeof modulesOfNode)[number] | undefined =>
  modulesOfNode.find((one) => one === name || `node:${one}` === name)

/** The library that a module belongs to: `dayjs` of `dayjs/plugin/utc`. */
export const libraryOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name

/** Why a function can't import a module, with the remedy; undefined where it can. */
export function importProblem(name: string, libraries: readonly string[]): string | undefined {
  if (libraries.includes(libraryOf(name)) || moduleOfNode(name) !== undefined) return undefined
  return `Functions can't import "${name}": ${remedyFor(name, libraries)}.`
}

/** The modules by which programs of Node call the outside. */
const OF_NETWORK = /^(?:node:)?(?:https?|http2|net|tls|dns|dgram|dns\/promises)$/

function remedyFor(name: string, libraries: readonly string[]): string {
  if (OF_NETWORK.test(name)) return 'call the outside with fetch, which needs no import'
  const ofNode = `choose from ${modulesOfNode.join(', ')} of Node`
  if (libraries.length === 0) return ofNode
  return `${ofNode} and from the libraries ${[...libraries].sort().join(', ')}`
}
