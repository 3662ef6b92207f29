/** What the language says of `retry` beside an instruction; the tests run the example. */
export const stepRetryDescription = {
  text:
    'An instruction, or a call, may have `retry` beside it, with the fields of ' +
    '[`retry`](#runs-that-wait-their-turn) of an automation: where it fails it is done again, in the same run, and ' +
    'what it did before stays done. A `fetch` is sent again for `network` and 429 where `on` says nothing else, as ' +
    'often as `retry` says and no more, with the same `Idempotency-Key`, and waits for `Retry-After` up to 60 s; no ' +
    'answer at all is `NetworkError`, one that was late `TimeoutError`. The failure or answer of the last attempt is ' +
    'that of the step. What ends the whole run is never tried again. `backoff` is part of the time a run may take.',
  example: {
    do: [
      {
        fetch: { url: 'https://shop.example/orders', method: 'post', body: { sku: 'a' }, output: 'order' },
        retry: { attempts: 4, backoff: { initial: '2s', max: '30s' }, on: ['network', 429, '5xx'] },
      },
      { greet: { name: '{{order.sku}}', output: 'greeting' }, retry: { attempts: 2, backoff: 0 } },
    ],
    output: '{{greeting}}',
    gives: 'Hello a',
  },
} as const
