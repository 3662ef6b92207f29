const custom = Symbol.for('nodejs.util.inspect.custom')

interface Options {
  /** How many objects in one another are shown; null shows all. */
  readonly depth?: number | null
}

const MOST_ITEMS = 100
const WIDTH = 72

/** A value as `util.inspect` shows it, as far as people read it. */
export const inspect = Object.assign(
  (value: unknown, { depth = 2 }: Options = {}): string =>
    new Inspection(depth ?? Number.POSITIVE_INFINITY).shown(value, 0),
  { custom },
)

class Inspection {
  readonly #depth: number
  readonly #outer: object[] = []

  constructor(depth: number) {
    this.#depth = depth
  }

  shown(value: unknown, level: number): string {
    if (typeof value !== 'object' || value === null) return plain(value)
    if (this.#outer.includes(value)) return '[Circular *1]'
    const own: unknown = Reflect.get(value, custom)
    if (typeof own === 'function') {
      const said: unknown = own.call(value, this.#depth - level, {}, inspect)
      return typeof said === 'string' ? said : this.shown(said, level)
    }
    this.#outer.push(value)
    try {
      return simple(value) ?? this.#object(value, level)
    } finally {
      this.#outer.pop()
    }
  }

  #object(value: object, level: number): string {
    const name = nameOf(value)
    if (level > this.#depth) return Array.isArray(value) ? '[Array]' : `[${name || 'Object'}]`
    const [items, open, close] = this.#items(value, level + 1)
    const prefix = ['', 'Object', 'Array'].includes(name) ? '' : `${name}${sizeOf(value)} `
    const prefixed = Object.getPrototypeOf(value) === null ? '[Object: null prototype] ' : prefix
    return `${prefixed}${joined(items, open, close, level)}`
  }

  #items(value: object, level: number): [items: string[], open: string, close: string] {
    const shown = (item: unknown) => this.shown(item, level)
    if (value instanceof Map)
      return [limited([...value], ([key, item]) => `${shown(key)} => ${shown(item)}`), '{', '}']
    if (value instanceof Set) return [limited([...value], shown), '{', '}']
    if (ArrayBuffer.isView(value) && !(value instanceof DataView))
      return [limited(Array.from(value as Uint8Array), shown), '[', ']']
    const entries = limited(
      Reflect.ownKeys(value).filter((key) => isShown(value, key)),
      (key) => this.#property(value, key, level),
    )
    if (Array.isArray(value)) return [[...limited(value, shown), ...entries], '[', ']']
    return [entries, '{', '}']
  }

  #property(value: object, key: string | symbol, level: number): string {
    const name =
      typeof key === 'symbol' ? `[${String(key)}]` : /^[a-z_$][\w$]*$/i.test(key) ? key : quoted(key)
    const { get, set, value: item } = Object.getOwnPropertyDescriptor(value, key) ?? {}
    if (get !== undefined) return `${name}: [Getter${set === undefined ? '' : '/Setter'}]`
    return `${name}: ${set === undefined ? this.shown(item, level) : '[Setter]'}`
  }
}

/** What is no object. */
function plain(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return functionName(value as Named)
  return Object.is(value, -0) ? '-0' : String(value)
}

/** The indices of lists are shown as items. */
const isShown = (value: object, key: string | symbol): boolean =>
  Object.prototype.propertyIsEnumerable.call(value, key) &&
  !(Array.isArray(value) && typeof key === 'string' && /^\d+$/.test(key))

function limited<T>(values: readonly T[], shown: (value: T) => string): string[] {
  const items = Array.from(values.slice(0, MOST_ITEMS), shown)
  const more = values.length - MOST_ITEMS
  return more > 0 ? [...items, `... ${more} more item${more === 1 ? '' : 's'}`] : items
}

function joined(items: readonly string[], open: string, close: string, level: number): string {
  if (items.length === 0) return open + close
  const line = items.join(', ')
  if (line.length <= WIDTH && !line.includes('\n')) return `${open} ${line} ${close}`
  const indent = '  '.repeat(level + 1)
  return `${open}\n${items.map((item) => indent + item).join(',\n')}\n${'  '.repeat(level)}${close}`
}

/** What is not shown by its properties. */
function simple(value: object): string | undefined {
  if (value instanceof Error) return String(value.stack ?? value)
  if (value instanceof RegExp) return String(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof Promise) return 'Promise { <pending> }'
  return undefined
}

const sizeOf = (value: object): string => {
  if (value instanceof Map || value instanceof Set) return `(${value.size})`
  return ArrayBuffer.isView(value) && 'length' in value ? `(${value.length})` : ''
}

function nameOf(value: object): string {
  const maker: unknown = Reflect.get(value, 'constructor')
  return typeof maker === 'function' ? maker.name : ''
}

type Named = (...parameters: never[]) => unknown

const functionName = (value: Named): string =>
  /^class\b/.test(Function.prototype.toString.call(value))
    ? `[class ${value.name || '(anonymous)'}]`
    : `[Function${value.name ? `: ${value.name}` : ' (anonymous)'}]`

function quoted(text: string): string {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes('`') ? '`' : "'"
  const inner = JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"')
  return mark + (mark === "'" ? inner.replace(/'/g, "\\'") : inner) + mark
}
