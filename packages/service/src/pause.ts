import { setTimeout } from 'node:timers/promises'

/** Resolves after `ms`, or as soon as the signal aborts. `background` does not keep the process alive. */
export const pause = (
  ms: number,
  signal?: AbortSignal,
  options: { background?: boolean } = {},
): Promise<void> =>
  setTimeout(ms, undefined, {
    ref: options.background !== true,
    ...(signal === undefined ? {} : { signal }),
  }).catch(() => undefined)
