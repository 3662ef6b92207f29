import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'

export { startProxy } from './proxy.ts'

/** A server that counts connections. */
export async function startCounted(
  listener: RequestListener = (_request, response) => response.end('inside'),
  host = '127.0.0.1',
  port = 0,
) {
  const server = createServer(listener)
  const counted = { connections: 0, requests: 0 }
  server.on('connection', () => {
    counted.connections += 1
  })
  server.on('request', () => {
    counted.requests += 1
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  return {
    counted,
    port: address.port,
    url: `http://${host}:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A resolver that answers what `next` says for each question, and counts the questions. */
export function resolver(next: (question: number, host: string) => string[]) {
  const asked = { questions: 0 }
  const lookup: LookupFunction = (host, _options, callback) => {
    const addresses = next(asked.questions, host)
    asked.questions += 1
    queueMicrotask(() =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    )
  }
  return { lookup, asked }
}

/** Ways to write addresses of the inside that have deceived filters, made from a few addresses. */
export function spellingsOfTheInside(): string[] {
  const inside = [
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '0.0.0.0',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
  ]
  const ipv6 =
    ':: ::1 fe80::1 fec0::1 fc00::1 fd00:ec2::254 ff02::1 2001:db8::1 100::1 2001::7f00:1 64:ff9b:1::7f00:1 ' +
    '0:0:0:0:0:0:0:1 0000::0001 ::ffff:0:7f00:1 4000::1'
  const names = ['localhost', 'LOCALHOST', 'localhost.', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'inside.example', 'inside.example.']
  return [...inside.flatMap(spellingsOf), ...ipv6.split(' ').map((address) => `[${address}]`), ...names]
}

function spellingsOf(address: string): string[] {
  const bytes = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  const dword = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  const groups = `${hex(a * 256 + b, 4)}:${hex(c * 256 + d, 4)}`
  return [
    address,
    `${address}.`,
    String(dword),
    `0x${hex(dword, 8)}`,
    `0${dword.toString(8)}`,
    bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
    bytes.map((byte) => `0${byte.toString(8).padStart(3, '0')}`).join('.'),
    bytes.map((byte) => `0000000${byte.toString(8)}`).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `0x${hex(a, 2)}.${b}.0${c.toString(8)}.${d}`,
    address.replaceAll('.', '。'),
    address.replaceAll('.', '%2e'),
    [...address].map((sign) => (sign === '.' ? '.' : String.fromCodePoint(0xff10 + Number(sign)))).join(''),
    [...address].map((sign) => `%${hex(sign.charCodeAt(0), 2)}`).join(''),
    `[::ffff:${address}]`,
    `[::ffff:${groups}]`,
    `[0:0:0:0:0:FFFF:${groups}]`,
    `[::${groups}]`,
    `[64:ff9b::${groups}]`,
    `[2002:${groups}::]`,
  ]
}
