/**
 * The `Link` header of the events after the last one of a page (decisions A5). It goes on from that event and not by number, so that no
 * event is shown twice or left out when others come meanwhile.
 */
export function nextEvents(url: string, lastId: string, sort: 'asc' | 'desc'): string {
  const [path = '', query = ''] = url.split('?', 2)
  const search = new URLSearchParams(query)
  search.delete('page')
  search.set(sort === 'asc' ? 'afterId' : 'beforeId', lastId)
  return `<${path}?${search}>; rel="next"`
}
