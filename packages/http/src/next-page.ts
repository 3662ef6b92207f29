/** The `Link` header of the page after this one (decisions A5), relative to wherever the caller reached us. */
export function nextPage(url: string, page: number): string {
  const [path = '', query = ''] = url.split('?', 2)
  const search = new URLSearchParams(query)
  search.set('page', String(page + 1))
  return `<${path}?${search}>; rel="next"`
}
