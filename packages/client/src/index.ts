export { ApiError } from './api-error.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export { type EventStreamMessage, readEventStream } from './event-stream.ts'
export {
  type CallInput,
  fillPath,
  PathParameterError,
  type PreparedCall,
  prepareCall,
} from './prepare-call.ts'
export { type SocketSettings, workspaceSocket } from './workspace-socket.ts'
