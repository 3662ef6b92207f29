import { output } from './say.mjs'

const isTerminal = output.isTTY === true
const everyMs = isTerminal ? 200 : 2000

/** Says how far the installation is: one moving line on a terminal, a line every two seconds elsewhere. */
export function showProgress() {
  const startedAt = Date.now()
  let stage = 'fetching the package manager'
  const seconds = () => Math.round((Date.now() - startedAt) / 1000)
  const show = () => write(`  ${stage} (${seconds()} s)`)
  const timer = setInterval(show, everyMs)
  return {
    /** Learns from a line of the installer's output. */
    read(line) {
      stage = stageOf(line) ?? stage
    },
    end() {
      clearInterval(timer)
      if (isTerminal) output.write('\r\u001b[K')
      return seconds()
    },
  }
}

function stageOf(line) {
  if (line.includes('Verifying lockfile')) return 'asking the package registry'
  const counts = /^Progress: resolved (\d+), reused (\d+), downloaded (\d+), added (\d+)/.exec(line)
  if (counts) return `${counts[4]} of ${counts[1]} packages installed`
  const download = /^Downloading (\S+)@\S+: [^/]*\/(.*)$/.exec(line)
  return download ? `downloading ${download[1]}, ${download[2]}` : undefined
}

const write = (text) => output.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`)
