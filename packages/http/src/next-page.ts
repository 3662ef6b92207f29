/** The `Link` header of the page after this one (decisions A5), relative to wherever the caller reached us. */
export const nextPage = (url: string, page: number): string => nextLink(url, 'page', String(page + 1))

/**
 * The same where a page goes on from a place, not by number: nothing is shown twice or left out when others write
 * meanwhile.
 */
export function nextLink(url: string, parameter: string, place: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const search = new URLSearchParams(query)
  if (parameter !== 'page') search.delete('page')
  search.set(parameter, place)
  return `<${path}?${search}>; rel="next"`
}
