import { basename, dirname } from 'node:path'

interface File {
  file: string
  text: string
}

/**
 * Statements after which the version before may no longer work, or finds less than it wrote. What only adds, and what
 * only removes an index, a trigger or a constraint, is none of them.
 */
const NARROWING: [what: string, pattern: RegExp][] = [
  [
    'removes something',
    /\bdrop\s+(table|column|view|materialized|function|procedure|type|sequence|schema)\b/i,
  ],
  ['renames something', /\brename\s+(to|column|constraint)\b/i],
  ['changes a type', /\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/i],
  ['asks for a value that older versions do not give', /\bset\s+not\s+null\b/i],
  [
    'asks for a value that older versions do not give',
    /\badd\s+column\s+(?![^,;]*\b(default|generated)\b)[^,;]*\bnot\s+null\b/i,
  ],
  [
    'refuses what older versions may write',
    /\badd\s+(constraint|check|foreign\s+key|unique|primary\s+key)\b/i,
  ],
  ['removes rows', /\b(truncate\s+table|delete\s+from)\b/i],
]

/** Merged before this was asked for; versions without tolerance of newer schemas are the only ones it breaks. */
const EARLIER = new Set(['packages/broker/migrations/0003_carry_traces.sql'])

const NEEDS = /^-- needs: (\S+)$/m
const RETIRES = /^-- retires: (\S+)$/gm

/**
 * What is wrong with migrations (docs/adr/0056): the version before must go on working beside them. One that narrows
 * says which migration retired what it removes; that one is of an earlier release, and since then no source uses it.
 * `released` has the paths of the migrations of the release before, without `.sql`.
 */
export function migrationProblems(tree: readonly File[], released: ReadonlySet<string>): string[] {
  const migrations = tree.filter(({ file }) => /^(apps|packages)\/[^/]+\/migrations\/.*\.sql$/.test(file))
  const sources = tree.filter(
    ({ file }) => /^(apps|packages)\/[^/]+\/src\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'),
  )
  const byPath = new Map(migrations.map((one) => [one.file, one]))
  return migrations.flatMap((migration) => [
    ...narrowingProblems(migration, byPath, released),
    ...retiredProblems(migration, sources),
  ])
}

function narrowingProblems(
  { file, text }: File,
  byPath: ReadonlyMap<string, File>,
  released: ReadonlySet<string>,
): string[] {
  if (EARLIER.has(file)) return []
  const needs = NEEDS.exec(text)?.[1]
  // What a function does when it is called is not done by the migration.
  const statements = text.replace(/--.*$/gm, '').replace(/(\$\w*\$)[\s\S]*?\1/g, '')
  const [what] = NARROWING.find(([, pattern]) => pattern.test(statements)) ?? []
  if (needs === undefined) {
    if (what === undefined) return []
    return [
      `${file} ${what}, and the version before still runs beside it: retire it in one release by a migration with ` +
        '"-- retires: schema.table.column", and remove it in the next with "-- needs: <name of that migration>".',
    ]
  }
  const path = `${dirname(file)}/${needs}`
  const retiring = byPath.get(`${path}.sql`)
  if (retiring === undefined || basename(file) <= `${needs}.sql` || !retiring.text.match(RETIRES))
    return [`${file} needs "${needs}": that must be an earlier migration beside it with "-- retires: …".`]
  if (released.has(path)) return []
  return [`${file} must wait for the next release: "${needs}", which it needs, is in no release yet.`]
}

/** Nothing may use what is retired: by its table's name, or where the table is named by that of the column. */
function retiredProblems({ file, text }: File, sources: readonly File[]): string[] {
  return [...text.matchAll(RETIRES)].flatMap(([, name = '']) => {
    const [schema, table, column] = name.split('.')
    if (table === undefined)
      return [`${file} retires "${name}", which is no schema.table or schema.table.column.`]
    const tableName = new RegExp(`\\b${schema}\\.${table}\\b`)
    const columnName = new RegExp(`\\b${column ?? ''}\\b`)
    const users = sources.filter((source) => tableName.test(source.text) && columnName.test(source.text))
    return users.map((user) => `${file} retires ${name}, and ${user.file} still uses it.`)
  })
}
