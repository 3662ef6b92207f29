/**
 * The pages of several processes as one: a metric stands there once, with the lines of all of them. Lines of
 * different processes must differ by a label.
 */
export function mergePages(pages: readonly string[]): string {
  const metrics = new Map<string, string[]>()
  for (const block of pages.flatMap((page) => page.trim().split('\n\n'))) {
    const [help = '', type = '', ...lines] = block.split('\n')
    const head = `${help}\n${type}`
    const known = metrics.get(head)
    if (known === undefined) metrics.set(head, lines)
    else known.push(...lines)
  }
  return `${[...metrics].map(([head, lines]) => [head, ...lines].join('\n')).join('\n\n')}\n`
}
