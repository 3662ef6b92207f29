import type { BrokerLog } from './log.ts'

/** A listener's mistake is logged; thrown into the connection that delivers, it would end the process. */
export const hearSafely =
  (topic: string, handle: (payload: string) => void, log: BrokerLog) =>
  (payload: string): void => {
    try {
      handle(payload)
    } catch (error) {
      log.error({ topic, err: error }, 'announcement not handled')
    }
  }
