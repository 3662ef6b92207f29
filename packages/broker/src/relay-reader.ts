/**
 * The only reader of the log where the transport is another system; where it is the log itself, the groups are. The
 * readers of the other kind are forgotten at each opening: one that stands still for ever would keep every partition.
 * Should they come back, they read again what is left, which their handlers don't mind.
 */
export const RELAY_READER = 'relay'
