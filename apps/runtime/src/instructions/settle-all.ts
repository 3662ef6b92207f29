/** Waits for all, also when one fails; then fails with the first failure in the order written. */
export async function settleAll<T>(pending: readonly (Promise<T> | T)[]): Promise<T[]> {
  const results = await Promise.allSettled(pending)
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
