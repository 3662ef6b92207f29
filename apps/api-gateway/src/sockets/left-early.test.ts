import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startGateway, startUpstream } from '../../test/start-gateway.ts'

test('a handshake whose client leaves before it is known who it is keeps no place', async () => {
  await using service = await startUpstream((_, response) => void response.end('no socket'))
  await using gateway = await startGateway({ services: service.url, env: { GATEWAY_MAX_WEBSOCKETS: '5' } })
  const port = Number(new URL(gateway.url).port)
  const shake = async (headers: Record<string, string>) => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const all = {
      host: 'x',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      ...headers,
    }
    const lines = Object.entries(all).map((pair) => `${pair.join(': ')}\r\n`)
    socket.write(`GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n${lines.join('')}\r\n`)
    return socket
  }
  for (let count = 0; count < 10; count += 1) {
    const socket = await shake((await gateway.signIn()).headers)
    socket.resetAndDestroy()
    await once(socket, 'close')
  }
  const answer = await shake((await gateway.signIn()).headers)
  const [bytes] = (await once(answer, 'data')) as [Buffer]
  expect(bytes.toString()).toContain('no socket')
  answer.destroy()
})
