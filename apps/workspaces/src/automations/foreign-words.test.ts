import { hintForField, hintForStep, readDefinition } from '@platform/automation-checks'
import { Failure } from '@platform/kernel'
import { describe, expect, test } from 'vitest'
import { identified } from './automation.ts'
import { findWarnings } from './find-warnings.ts'

const read = (text: string) => readDefinition({ text, mediaType: 'yaml' }, true).input

function refusalOf(text: string): string {
  try {
    read(text)
    return 'nothing'
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}

const warningsOf = (text: string) =>
  findWarnings(identified({ slug: 'main', ...read(text) }, new Set()), []).map(({ message }) => message)

describe('the words of other tools', () => {
  test.each([
    [
      'trigger: { type: webhook }\nsteps: []',
      'trigger is not a field of an automation: what starts an automation stands in when',
    ],
    ['on: push\ndo: []', 'when: { events: [order.paid] }'],
    ['do: []\nsteps: []', 'steps is not a field of an automation: instructions stand in do'],
    ['do: []\nschedule: "0 9 * * *"', 'times stand in when, as schedules'],
    ['do: []\ninputs: {}', 'what it is given stands in arguments'],
    ['do:\n- if: "{{a}}"\n  then: []', 'decide with conditions, such as - conditions:'],
    ['do:\n- name: first\n  uses: other', 'call another automation by its slug'],
    ['do:\n- for: "{{list}}"\n  steps: []', 'go through a list with repeat'],
  ])('are named with what to write instead: %j', (text, said) => expect(refusalOf(text)).toContain(said))

  test.each([
    ['do:\n- if: { a: 1 }', 'If you meant an instruction: decide with conditions'],
    ['do:\n- forEach: { a: 1 }', 'go through a list with repeat'],
    ['do:\n- call: { a: 1 }', 'call another automation by its slug'],
    ['do:\n- sleep: { seconds: 1 }', 'wait with wait'],
  ])('are explained where they could be the slug of an automation: %j', (text, said) =>
    expect(warningsOf(text).join()).toContain(said),
  )

  test('other words are not explained', () => {
    expect(refusalOf('do: []\ncolour: red')).toMatch(/colour is not a field of an automation\.$/)
    expect(warningsOf('do:\n- greet: {}').join()).toMatch(/until there is one\.$/)
    for (const word of ['toString', '__proto__', 'constructor', 'greet'])
      expect([hintForField(word), hintForStep(word)]).toEqual([undefined, undefined])
  })
})
