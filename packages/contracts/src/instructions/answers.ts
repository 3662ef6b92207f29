/** What the language says of `$http`; the tests run the examples. */
export const answerDescription = {
  text:
    'A URL trigger answers its output as JSON with 200. `set` of `$http` shapes the answer: `status` (200 to 599), ' +
    '`headers` (added to those set before), or `chunk`. With a `Content-Type` other than JSON a text is sent as it ' +
    'is, and a file (an object with `base64`, as forms and `fetch` give them) as its bytes. What a browser would run ' +
    'gets an origin of its own (`Content-Security-Policy: sandbox`), and cookies, `Access-Control-*` and headers of ' +
    'the connection can’t be set. Where the run fails, the answer is its failure as `$error` would show it, with the ' +
    'status of its name: 400, 403, 413 and so on. Only what the run did not find, such as an automation that it ' +
    'calls, is answered as `InvalidInstructionError` with 400 instead of `ObjectNotFoundError` with 404, which says ' +
    'that there is no automation at the address.',
  chunks:
    'The first `chunk` makes the answer a stream of server-sent events, each `data: <the chunk as JSON>`; status and ' +
    'headers are on their way then. A step that sends a chunk waits until the reader has room; when it has left, the ' +
    'run goes on and what it sends goes nowhere. The output comes as the last frame, if there is one, and so does ' +
    'what the run failed with. `sseKeepAlive: 15000` sends `{"keepAlive":true}` so often (5 s at least) while ' +
    'nothing else is on its way. The run may then take as long as RUN_MAX_DURATION_SECONDS, or, where it is durable, ' +
    'as its request.',
  scope:
    'An automation that is called shapes the answer when it is given it: `$http: "{{$http}}"`. In runs of events and ' +
    'schedules `$http` is a variable like any other.',
  example: {
    do: [
      { set: { name: '$http', value: { status: 201, headers: { 'X-Order': '{{body.id}}' } } } },
      { set: { name: '$http.headers.content-type', value: 'text/csv' } },
    ],
    output: 'id,state\n{{body.id}},placed\n',
    gives: 'id,state\n42,placed\n',
  },
  streamed: {
    do: [
      { set: { name: '$http.headers', value: { 'X-Model': 'small' } } },
      {
        repeat: {
          on: ['Hello', ' world'],
          do: [{ set: { name: '$http.chunk', value: { text: '{{item}}' } } }],
        },
      },
    ],
    output: { done: true },
    gives: 'data: {"text":"Hello"}\n\ndata: {"text":" world"}\n\ndata: {"done":true}\n\n',
  },
  passedOn: 'What a language model sends is passed on piece by piece:',
  proxied: {
    do: [
      {
        fetch: {
          url: 'https://model.example/chat',
          method: 'post',
          headers: { Authorization: 'Bearer {{secret.modelKey}}' },
          body: { prompt: '{{body.prompt}}', stream: true },
          timeout: '1m',
          output: 'model',
        },
      },
      {
        repeat: {
          on: '{{model.body}}',
          do: [
            {
              conditions: {
                '{{item.chunk.data[0].delta}}': [
                  { set: { name: '$http.chunk', value: { text: '{{item.chunk.data[0].delta}}' } } },
                ],
              },
            },
          ],
        },
      },
    ],
    output: { done: true },
    gives: 'data: {"text":"Hello"}\n\ndata: {"text":" world"}\n\ndata: {"done":true}\n\n',
  },
} as const
