import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { speakV2 } from './versioned-call.ts'

const call = {
  name: 'v3',
  used: undefined,
  representation: 'v3',
  transforms: [],
  query: new URLSearchParams(),
  notices: [],
}

test('a condition in several lines names the same tags in both lists of headers', () => {
  const request = new IncomingMessage(new Socket())
  request.headers = { 'if-match': '"a;v3", "b;v3"', 'if-none-match': '"c;v3"', host: 'x' }
  request.rawHeaders = ['If-Match', '"a;v3"', 'if-match', '"b;v3"', 'If-None-Match', '"c;v3"', 'Host', 'x']
  speakV2(request, call)
  expect(request.headers).toEqual({ 'if-match': '"a", "b"', 'if-none-match': '"c"', host: 'x' })
  expect(request.rawHeaders).toEqual([
    ...['If-Match', '"a"', 'if-match', '"b"', 'If-None-Match', '"c"', 'Host', 'x'],
  ])
})
