import { describe, expect, test } from 'vitest'
import { migrationProblems } from './migrations.ts'

const FOLDER = 'apps/events/migrations'
const none = new Set<string>()
const problemsOf = (text: string, name = '0200_change') =>
  migrationProblems([{ file: `${FOLDER}/${name}.sql`, text }], none)

describe('migrations that the version before must survive', () => {
  test.each([
    'alter table events.things drop column old;',
    'DROP TABLE events.things;',
    'drop view events.seen;',
    'drop function events.f(int);',
    'alter table events.things rename to other;',
    'alter table events.things rename column a to b;',
    'alter table events.things alter column a type bigint;',
    'alter table events.things alter column a set data type bigint;',
    'alter table events.things alter column a set not null;',
    'alter table events.things add column a int not null;',
    'alter table events.things add constraint few check (a < 9);',
    'alter table events.things add foreign key (a) references events.others;',
    'delete from events.things;',
    'truncate table events.things;',
  ])('are refused: %s', (statement) => {
    expect(problemsOf(statement)).toEqual([expect.stringContaining(`${FOLDER}/0200_change.sql `)])
  })

  test.each([
    'create table events.things (a int not null, check (a < 9), unique (a));',
    'alter table events.things add column a int, add column b int not null default 0;',
    'alter table events.things add column a boolean not null generated always as (b is null) stored;',
    '-- drop table events.things;\nselect 1;',
    'drop index events.things_by_a; create index things_by_b on events.things (b);',
    'alter table events.things alter column a drop not null;',
    'alter table events.things drop constraint few;',
    'create function events.f() returns void language sql as $$ delete from events.things $$;',
  ])('are taken: %s', (statement) => {
    expect(problemsOf(statement)).toEqual([])
  })
})

describe('a migration that removes what was retired', () => {
  const retiring = {
    file: `${FOLDER}/0100_retire_old.sql`,
    text: '-- retires: events.things.old\nselect 1;',
  }
  const removing = {
    file: `${FOLDER}/0200_drop_old.sql`,
    text: '-- needs: 0100_retire_old\nalter table events.things drop column old;',
  }
  const released = new Set([`${FOLDER}/0100_retire_old`])

  test('is taken once the retiring one was released', () => {
    expect(migrationProblems([retiring, removing], released)).toEqual([])
    expect(migrationProblems([retiring, removing], none)).toEqual([
      `${removing.file} must wait for the next release: "0100_retire_old", which it needs, is in no release yet.`,
    ])
  })

  test('names one that is there, comes before and retires something', () => {
    for (const tree of [
      [removing],
      [{ ...retiring, text: 'select 1;' }, removing],
      [retiring, { ...removing, file: `${FOLDER}/0050_drop_old.sql` }],
    ])
      expect(migrationProblems(tree, released)).toHaveLength(1)
  })

  test.each([
    ['apps/events/src/things/thing-store.ts', 'sql`select old from events.things`', 1],
    ['apps/events/src/things/thing-store.ts', 'sql`select older from events.things`', 0],
    ['apps/events/src/others/other-store.ts', 'sql`select old from events.others`', 0],
    ['apps/events/src/things/thing-store.test.ts', 'sql`select old from events.things`', 0],
  ])('what is retired is used no more: %s with %s', (file, text, count) => {
    const problems = migrationProblems([retiring, { file, text }], none)
    expect(problems).toEqual(
      Array(count).fill(`${retiring.file} retires events.things.old, and ${file} still uses it.`),
    )
  })
})
