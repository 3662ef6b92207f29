/**
 * How long to rest after a number of failures in a row: twice as long after each, up to a limit. Drawn from the upper
 * half, so that those who failed together do not come back together.
 */
export const growingPauseMs = (
  failures: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
): number => Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30)) * (0.5 + Math.random() / 2)
