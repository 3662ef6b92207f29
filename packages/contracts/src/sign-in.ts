import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** A page for people. */
const Page = z.string()

/** Read one by one: a wrong one is answered with a page, not with JSON. */
const looseQuery = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

export const startSignIn = endpoint({
  id: 'startSignIn',
  summary: 'Signs in without a console: leads to the sign-in page (authorization code with PKCE).',
  service: 'api-gateway',
  credential: 'none',
  method: 'get',
  path: '/signin',
  query: looseQuery,
  response: Page,
  status: 303,
  failures: [],
  mediaTypes: [],
  otherAnswers: [{ status: 400, summary: 'A page says why.', mediaType: 'text/html' }],
})

export const finishSignIn = endpoint({
  id: 'finishSignIn',
  summary:
    'Where the sign-in comes back to: sets the access-token cookie and shows who is signed in and the next call.',
  service: 'api-gateway',
  credential: 'none',
  method: 'get',
  path: '/signin/callback',
  query: looseQuery,
  response: Page,
  failures: [],
  mediaTypes: ['text/html'],
  otherAnswers: [{ status: 400, summary: 'A page says why.', mediaType: 'text/html' }],
})
