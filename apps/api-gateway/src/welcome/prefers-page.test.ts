import { expect, test } from 'vitest'
import { prefersPage } from './prefers-page.ts'

test.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', true],
  ['text/html', true],
  ['TEXT/HTML;q=0.9, application/json;q=0.8', false],
  ['text/html;q=0.9, application/json;q=0.8', true],
  ['application/json, text/html;q=0.9', false],
  ['text/html, application/json', false],
  ['text/html, */*', false],
  ['text/html;q=0', false],
  ['application/json', false],
  ['*/*', false],
  ['', false],
  [undefined, false],
])('%s', (accept, expected) => {
  expect(prefersPage(accept)).toBe(expected)
})
