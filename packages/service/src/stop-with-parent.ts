/** Calls `stop` when the process that started this one disappears, so that nothing is left behind (decisions I14). */
export function stopWithParent(stop: () => void): void {
  const parent = process.ppid
  if (parent <= 1) return
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, 1000)
  timer.unref()
}
