import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const HEADER_BYTES = 12
const A_RECORD = 1
const TTL_SECONDS = 1

/** A name server on this machine, whose names change while it runs. */
export interface NameServer extends AsyncDisposable {
  /** Says from now on which addresses of IPv4 a name stands for. */
  set(name: string, addresses: readonly string[]): void
  /** Variables of a process that is to ask this server. */
  env: Record<string, string>
}

/** Starts a server that knows the names it is told, as that of Docker or of a cluster does, and no others. */
export async function startNameServer(): Promise<NameServer> {
  const names = new Map<string, readonly string[]>()
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => socket.send(answerTo(query, names), from.port, from.address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const preload = fileURLToPath(new URL('./ask-name-server.ts', import.meta.url))
  return {
    set: (name, addresses) => void names.set(name, addresses),
    env: { NODE_OPTIONS: `--import=${preload}`, NAME_SERVER: `127.0.0.1:${socket.address().port}` },
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** The query's header and question, with a record for each address; none for other kinds than A. */
function answerTo(query: Buffer, names: ReadonlyMap<string, readonly string[]>): Buffer {
  const { name, end } = nameIn(query)
  const found = names.get(name)
  const addresses = query.readUInt16BE(end) === A_RECORD ? (found ?? []) : []
  const header = Buffer.from(query.subarray(0, HEADER_BYTES))
  // An answer, without recursion on offer; 3 is "there is no such name".
  header.writeUInt16BE(0x8180 | (found === undefined ? 3 : 0), 2)
  header.writeUInt16BE(addresses.length, 6)
  header.fill(0, 8)
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end + 4), ...addresses.map(recordOf)])
}

/** Labels, each with its length before it, until one of length 0. */
function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

/** An address of the name that stands in the question. */
function recordOf(address: string): Buffer {
  const record = Buffer.alloc(16)
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0)
  record.writeUInt16BE(A_RECORD, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(TTL_SECONDS, 6)
  record.writeUInt16BE(4, 10)
  Buffer.from(address.split('.').map(Number)).copy(record, 12)
  return record
}
