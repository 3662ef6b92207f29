import type { FunctionName } from './names.ts'

/** What the language says of a function; its examples are run by the tests. */
export interface FunctionDescription {
  /** How it is called. */
  readonly call: string
  readonly text: string
  /** Expressions and what they give. */
  readonly examples: readonly (readonly [expression: string, result: unknown])[]
}

/** Every function of the language, as the documents show it. */
export const functionDescriptions: Readonly<Record<FunctionName, FunctionDescription>> = {
  abs: { call: 'abs(number)', text: 'The distance from zero.', examples: [['abs(-3)', 3]] },
  base64: {
    call: 'base64(text)',
    text: 'The UTF-8 bytes of a text as base64.',
    examples: [['base64("user:key")', 'dXNlcjprZXk=']],
  },
  ceil: {
    call: 'ceil(number, decimals)',
    text: 'Rounded up, to whole numbers unless decimals are given.',
    examples: [['ceil(1.2)', 2]],
  },
  date: {
    call: 'date(value, format, locale, timezone)',
    text:
      'A date as data (`year`, `month`, `day` of the week, `date`, `hour`, `minute`, `second`, `iso`, `ts`), ' +
      'in UTC; with a format a text, in the time zone DEFAULT_TIMEZONE. A zone that is given counts in both cases. ' +
      'Without a value the current time.',
    examples: [
      ['date("2026-01-05T19:30:00Z").hour', 19],
      ['date("2026-01-05T19:30:00Z", "YYYY-MM-DD HH:mm", "en", "Europe/Paris")', '2026-01-05 20:30'],
    ],
  },
  deepmerge: {
    call: 'deepmerge(a, b, …, {concatStrings})',
    text: 'Objects merged into one another: lists follow each other, anything else is replaced by what comes later.',
    examples: [['deepmerge({a: {x: 1}, l: [1]}, {a: {y: 2}, l: [2]})', { a: { x: 1, y: 2 }, l: [1, 2] }]],
  },
  elapsed: {
    call: 'elapsed(date, unit, n)',
    text:
      'How many whole units (`second` to `year`, or a weekday) have passed since a date; ' +
      'with `n`, whether as many have.',
    examples: [
      ['elapsed("2026-01-04T10:00:00Z", "hours")', 24],
      ['elapsed("2026-01-04T10:00:00Z", "day", 2)', false],
    ],
  },
  floor: {
    call: 'floor(number, decimals)',
    text: 'Rounded down, to whole numbers unless decimals are given.',
    examples: [['floor(1.29, 1)', 1.2]],
  },
  isArray: { call: 'isArray(value)', text: 'Whether it is a list.', examples: [['isArray([1])', true]] },
  isNumber: {
    call: 'isNumber(value)',
    text: 'Whether it is a number, and not only a text that looks like one.',
    examples: [['isNumber("1")', false]],
  },
  isObject: {
    call: 'isObject(value)',
    text: 'Whether it is an object and no list.',
    examples: [['isObject({a: 1})', true]],
  },
  isString: { call: 'isString(value)', text: 'Whether it is a text.', examples: [['isString("a")', true]] },
  join: {
    call: 'join(list, separator)',
    text: 'The items of a list as one text, with commas unless another separator is given.',
    examples: [['join(["a", "b"], " and ")', 'a and b']],
  },
  json: {
    call: 'json(value)',
    text: 'Reads a text as JSON; writes anything else as JSON.',
    examples: [
      ['json("[1, 2]")', [1, 2]],
      ['json({a: 1})', '{"a":1}'],
    ],
  },
  jsonmatch: {
    call: 'jsonmatch(value, filter)',
    text:
      'Whether a value fits a filter: paths to values or to `$eq`, `$ne`, `$in`, `$nin`, `$gt`, `$gte`, `$lt`, ' +
      '`$lte`, `$exists`, `$regex`, `$all`, `$size`, `$mod`, `$type`, `$elemMatch`; `$and`, `$or`, `$nor`, `$not`.',
    examples: [['jsonmatch({age: 20}, {"age": {"$gte": 18}})', true]],
  },
  length: {
    call: 'length(value)',
    text: 'Items of a list, characters of a text, keys of an object.',
    examples: [['length([1, 2])', 2]],
  },
  lower: { call: 'lower(text)', text: 'In lower case.', examples: [['lower("ABC")', 'abc']] },
  max: {
    call: 'max(a, b, …)',
    text: 'The largest of its parameters or of one list.',
    examples: [['max([3, 7, 5])', 7]],
  },
  min: {
    call: 'min(a, b, …)',
    text: 'The smallest of its parameters or of one list.',
    examples: [['min(3, 7)', 3]],
  },
  number: {
    call: 'number(value)',
    text: 'A number from a text, a boolean or a date.',
    examples: [['number("1.5") + 1', 2.5]],
  },
  rand: {
    call: 'rand(from, to)',
    text:
      'A random whole number from `from` on and below `to`; with one parameter from 0 on and below it, without any a ' +
      'number from 0 on and below 1.',
    examples: [['rand(5, 6)', 5]],
  },
  regex: {
    call: 'regex(pattern, flags)',
    text:
      'A regular expression for `matches`, `split`, `replace` and filters. It runs in linear time: ' +
      'no look-around, no back references. Written bare, quoted, or as `/pattern/flags`; ' +
      'flags may stand behind a quoted one: `i` whatever the case, `m` for `^` and `$` at each line, `s` for `.` ' +
      'with line breaks.',
    examples: [
      ['"a-42" matches regex(^[a-z]-\\d+$)', true],
      ['"Hello" matches regex("^hello", "i")', true],
    ],
  },
  replace: {
    call: 'replace(text, search, replacement)',
    text:
      'Every occurrence of a text or of `regex( )` replaced; ' +
      'with `regex( )`, `$&` is what was found and `$1` its first group.',
    examples: [
      ['replace("a-b-c", "-", "+")', 'a+b+c'],
      ['replace("2026-01", regex((\\d+)-(\\d+)), "$2/$1")', '01/2026'],
    ],
  },
  round: {
    call: 'round(number, decimals)',
    text: 'Rounded, to whole numbers unless decimals are given.',
    examples: [['round(1.005, 2)', 1.01]],
  },
  sanitize: {
    call: 'sanitize(text)',
    text: 'Harmless inside HTML: `<`, `>` and `&` become entities, emoji go.',
    examples: [['sanitize("<b>")', '&#60;b&#62;']],
  },
  slice: {
    call: 'slice(list or text, start, end)',
    text:
      'A part; negative positions count from the end. No character of a text is cut into halves: an emoji counts ' +
      'as two and is there as a whole or not at all.',
    examples: [['slice([1, 2, 3], -2)', [2, 3]]],
  },
  split: {
    call: 'split(text, separator)',
    text: 'The pieces between separators: a text or `regex( )`.',
    examples: [['split("a, b", regex(,\\s*))', ['a', 'b']]],
  },
  truncate: {
    call: 'truncate(text, length, ellipsis)',
    text: 'The beginning of a text; `...` or the ellipsis follows when something was cut off.',
    examples: [['truncate("a long text", 6)', 'a long...']],
  },
  unsafejson: {
    call: 'unsafejson(text)',
    text: 'The first JSON object or list in a text, for answers of models that talk around it.',
    examples: [['unsafejson("Here it is: {\\"a\\": 1}.")', { a: 1 }]],
  },
  upper: { call: 'upper(text)', text: 'In upper case.', examples: [['upper("abc")', 'ABC']] },
  URL: {
    call: 'URL(text)',
    text:
      'The parts of an address: `href`, `origin`, `protocol`, `host`, `hostname`, `port`, ' +
      '`pathname`, `search`, `searchParams`, `hash`; nothing when it is none.',
    examples: [['URL("https://example.com/a?b=1").searchParams.b', '1']],
  },
  URLSearchParams: {
    call: 'URLSearchParams(object, list or text)',
    text: 'Parameters of an address, as text in `.asString` and as data in `.asJSON`.',
    examples: [['URLSearchParams({q: "a b", n: 1}).asString', 'q=a+b&n=1']],
  },
  uuid: {
    call: 'uuid()',
    text: 'A new unique id without dashes.',
    examples: [['length(uuid())', 32]],
  },
}
