/**
 * True for a browser that wants to show something: it names `text/html`, and takes nothing that programs take as
 * gladly.
 */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('text/html')) return false
  const weights = new Map(accept.slice(0, 1000).split(',').map(weighed))
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0
  return (weights.get('text/html') ?? 0) > json
}

function weighed(range: string): [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((one) => one.startsWith('q='))
  return [type, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}
