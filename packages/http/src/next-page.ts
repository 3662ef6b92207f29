/** The `Link` header of the page after this one, relative to the address by which the caller reached us. */
export const nextPage = (url: string, page: number): string => nextLink(url, 'page', String(page + 1))

/**
 * The same where a page begins behind the last entry of the one before, not at a number: nothing is shown twice or
 * left out when others write meanwhile.
 */
export function nextLink(url: string, parameter: string, position: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const search = new URLSearchParams(query)
  if (parameter !== 'page') search.delete('page')
  search.set(parameter, position)
  return `<${path}?${search}>; rel="next"`
}
