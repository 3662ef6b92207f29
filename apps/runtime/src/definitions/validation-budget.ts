import { Failure } from '@platform/kernel'
import { measure } from '../contexts/value-size.ts'

/**
 * What checking the arguments of one call may cost, in units of about 50 nanoseconds. Schemas that share `$ref`s
 * double with each level, and each of them may walk through all of a value; so every look is paid for, whatever led
 * to it.
 */
const BUDGET = 1_000_000

/** A schema that is held against a value. */
const PER_SCHEMA = 40

/** A look at a part of a large value. */
const PER_LOOK = 5

/** Characters of a text that are counted or matched for one unit. */
const PER_UNIT = 16

/** A smaller value costs too little to watch the looks at its parts. */
const SMALL = 2_000

let left = BUDGET
/** Characters of what was looked at last, when it was a text: that is what the next schemas are held against. */
let lastText = 0

/** Does a validation with a budget of its own; it ends within its turn, so there is never more than one. */
export function withBudget<T>(payload: object, validate: (payload: object) => T): T {
  left = BUDGET
  lastText = 0
  return validate(measure(payload, SMALL).excess === undefined ? payload : watched(payload))
}

/** Throws InvalidArgumentsError once the budget is used up. */
export function pay(units: number): void {
  left -= units
  if (left >= 0) return
  throw new Failure(
    'InvalidArgumentsError',
    'Invalid arguments: checking them takes too long. Pass less, or let the schema use fewer $refs and alternatives.',
  )
}

/**
 * The schema, paying each time it is held against a value: the validator asks for this keyword of every schema it
 * looks at.
 */
export function metered<T extends object>(schema: T): T {
  const own: unknown = Reflect.get(schema, 'maxContains')
  const weight = PER_SCHEMA + sizeOf(schema)
  const readsText = ['minLength', 'maxLength', 'format'].some((keyword) => keyword in schema)
  return Object.defineProperty(schema, 'maxContains', {
    enumerable: false,
    get() {
      pay(weight + (readsText ? Math.ceil(lastText / PER_UNIT) : 0))
      return own
    },
  })
}

const written = new Set(['enum', 'const', 'dependentRequired', 'dependencies'])

/** What the keywords of the schema itself take, those of inner schemas not counted. */
function sizeOf(schema: object): number {
  return Object.entries(schema).reduce((size, [keyword, value]) => {
    if (written.has(keyword)) return size + Math.ceil(JSON.stringify(value).length / 8)
    return typeof value === 'object' && value !== null ? size + Object.keys(value).length : size
  }, 0)
}

const known = new WeakMap<object, object>()

/** The same value; whoever looks at its parts pays. */
function watched(value: object): object {
  const before = known.get(value)
  if (before !== undefined) return before
  const made = new Proxy(value, {
    get(target, key) {
      pay(PER_LOOK)
      return seen(Reflect.get(target, key))
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target)
      pay(keys.length * PER_LOOK)
      return keys
    },
  })
  known.set(value, made)
  return made
}

function seen(value: unknown): unknown {
  lastText = typeof value === 'string' ? value.length : 0
  return typeof value === 'object' && value !== null ? watched(value) : value
}
