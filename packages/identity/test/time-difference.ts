const ATTEMPTS = 4

/**
 * How much longer one of two things takes than the other, as a part of it, by their medians. They take turns, so that
 * other work of the machine slows down both; where it did not, they are measured again, at most four times.
 */
export async function timeDifference(
  { turns, enough }: { turns: number; enough: number },
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<number> {
  let difference = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && difference >= enough; attempt += 1) {
    const ones: number[] = []
    const others: number[] = []
    for (let turn = 0; turn < turns; turn += 1) {
      ones.push(await timeOf(one))
      others.push(await timeOf(other))
    }
    difference = Math.abs(median(ones) / median(others) - 1)
  }
  return difference
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
