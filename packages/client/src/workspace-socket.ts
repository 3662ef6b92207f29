/** Where and how `io` of socket.io-client connects: `io(url, options)`. */
export interface SocketSettings {
  url: string
  options: {
    transports: ['websocket']
    withCredentials: boolean
    auth: { extraHeaders: Record<string, string>; filters?: { types?: string[]; text?: string } }
  }
}

/**
 * The live events of a workspace over socket.io, which a program brings itself. The token travels in the first message,
 * because a browser can set no header of a WebSocket; without one the cookie counts.
 */
export function workspaceSocket(options: {
  baseUrl: string
  workspaceId: string
  token?: string
  filters?: { types?: string[]; text?: string }
}): SocketSettings {
  const { baseUrl, workspaceId, token, filters } = options
  return {
    url: `${new URL(baseUrl).origin}/v2/workspaces/${encodeURIComponent(workspaceId)}/events`,
    options: {
      transports: ['websocket'],
      withCredentials: token === undefined,
      auth: {
        extraHeaders: token === undefined ? {} : { authorization: `Bearer ${token}` },
        ...(filters === undefined ? {} : { filters }),
      },
    },
  }
}
