import { readDefinition } from '@platform/automation-checks'
import { expect, it } from 'vitest'
import { findWarnings } from '../automations/find-warnings.ts'
import { sampleAutomations } from './create-sample-workspace.ts'

it.each(sampleAutomations.map((automation) => [automation.slug, automation] as const))(
  'the sample automation %s is valid and runs as written',
  (_, automation) => {
    const text = JSON.stringify(automation)
    expect(readDefinition({ text, mediaType: 'json' }, true).input).toEqual(automation)
    expect(findWarnings(automation, [])).toEqual([])
  },
)
