// Written so that even Node 12 can read it: an old Node must reach this sentence. The scripts import the rest only
// after it.
const major = Number(process.versions.node.split('.')[0])

if (major < 18) {
  console.error(
    `Node ${process.versions.node} is too old: install Node 18 or newer, then run the command again.`,
  )
  process.exit(1)
}
