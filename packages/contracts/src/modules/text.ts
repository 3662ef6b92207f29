import { z } from 'zod'
import { fields } from '../instructions/templated.ts'
import { flag, type ModuleDescription, numeric, text } from './module.ts'

/** Most characters of a text that a function goes through. */
export const MODULE_TEXT_MAX = 1_000_000

const content = text(MODULE_TEXT_MAX)

const wanted = {
  query: text(10_000).optional().describe('A text, found as it is.'),
  pattern: text(2000).optional().describe('Instead of it a regular expression, as in `matches`.'),
  flags: z
    .string()
    .regex(/^[imsguyd]*$/)
    .optional()
    .describe('Of the pattern: `i`, `m`, `s`.'),
  caseSensitive: flag().optional().describe('false: `A` is `a`. true without it.'),
}

const hasOne = (given: { query?: unknown; pattern?: unknown }) =>
  (given.query === undefined) !== (given.pattern === undefined)
const ONE = { message: 'needs either query or pattern' }

export const ParseUrlParameters = fields({ url: text(20_000).describe('An address, or a part of one.') })

export const SplitTextParameters = fields({
  content: z.union([content, z.array(content).max(10_000)]).describe('A text, or several.'),
  chunkSize: numeric(z.int().min(1)).describe('Most characters of a piece.'),
  chunkOverlap: numeric(z.int().min(0))
    .optional()
    .describe('Characters a piece has in common with the one before; 0 without it.'),
  separators: z
    .array(z.string().max(100))
    .min(1)
    .max(20)
    .optional()
    .describe('Tried in this order; paragraphs, lines, words, characters without it.'),
})

export const SearchTextParameters = fields({
  content,
  ...wanted,
  limit: numeric(z.int().min(1).max(1000)).optional().describe('Most matches; 100 without it.'),
}).refine(hasOne, ONE)

export const SubstituteParameters = fields({
  content,
  ...wanted,
  replacement: text(100_000).describe('With a pattern `$1` and `$&` are what was found.'),
  all: flag().optional().describe('false: only the first. true without it.'),
}).refine(hasOne, ONE)

export const DiffParameters = fields({
  from: content.describe('The text before.'),
  to: content.describe('The text after.'),
  context: numeric(z.int().min(0).max(100)).optional().describe('Lines shown around a change; 3 without it.'),
  fromName: z.string().max(200).optional(),
  toName: z.string().max(200).optional(),
})

export const ApplyPatchParameters = fields({
  content,
  patch: content.describe('A unified diff of one text.'),
  fuzz: numeric(z.int().min(0).max(2)).optional().describe('Lines of context that may differ; 0 without it.'),
})

/** `text`: functions over texts, bounded in time and size. */
export const textModule = {
  text: 'Texts: each has up to a million characters, and no function takes long, whatever it is given.',
  functions: {
    parseUrl: {
      text:
        'The parts of an address: `protocol`, `origin`, `domain`, `port`, `path`, `query`, `hash`, and of the last ' +
        'part of the path `id`, `filename`, `ext` and `mimetype`; `workspaceId` where it names one. What is not ' +
        'there is an empty text.',
      parameters: ParseUrlParameters,
    },
    splitText: {
      text:
        'A list of pieces of at most `chunkSize` characters, cut at the first separator that makes them small ' +
        'enough.',
      parameters: SplitTextParameters,
    },
    search: {
      text: 'A list of matches: `text`, `index` (from 0), `line` (from 1) and `groups`.',
      parameters: SearchTextParameters,
    },
    substitute: {
      text: '`content` with what is found replaced, and the `count` of replacements.',
      parameters: SubstituteParameters,
    },
    diff: {
      text: 'A unified diff of two texts as `patch`, with the lines `added` and `removed`.',
      parameters: DiffParameters,
    },
    applyPatch: {
      text: 'The text with the changes of a unified diff. Fails where the diff does not fit.',
      parameters: ApplyPatchParameters,
    },
  },
  example: {
    do: [
      {
        run: {
          module: 'text',
          function: 'splitText',
          parameters: { content: 'one two three', chunkSize: 8 },
          output: 'pieces',
        },
      },
      {
        run: {
          module: 'text',
          function: 'substitute',
          parameters: { content: 'a-1, a-2', pattern: 'a-(\\d)', replacement: 'b$1' },
          output: 'replaced',
        },
      },
    ],
    output: ['{{pieces}}', '{{replaced.content}}'],
    gives: [['one two', 'three'], 'b1, b2'],
  },
} as const satisfies ModuleDescription
