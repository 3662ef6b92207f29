// A platform with faults that nobody foresaw: a text that is made upper case may hang, abort or fill the process.
const upperCase = String.prototype.toUpperCase

const faults: Record<string, () => void> = {
  'planted hang': () => {
    for (;;);
  },
  'planted abort': () => process.abort(),
  'planted heap': () => {
    const kept: string[][] = []
    for (;;) kept.push(Array.from({ length: 1000 }, (_, at) => `${at} ${kept.length}`))
  },
}

String.prototype.toUpperCase = function planted(this: string) {
  faults[String(this)]?.()
  return upperCase.call(this)
}

await import('../../apps/all-in-one/src/main.ts')
