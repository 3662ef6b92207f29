import { createSampleWorkspace, deleteWorkspace, getAutomation, getWorkspace } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('POST /sys/sample-workspace', () => {
  it('makes the workspace hello of its owner once, however often and fast it is asked for', async () => {
    const body = { ownerId: 'ada' }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => service.internal(createSampleWorkspace, { body })),
    )
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)

    const ada = service.as({ userId: 'ada' })
    const params = { workspaceId: 'slug:hello' }
    const { automations, createdBy } = await ada(getWorkspace, { params })
    expect(createdBy).toBe('ada')
    expect(Object.keys(automations).sort()).toEqual(['greet', 'on-order'])
    const greet = await ada(getAutomation, { params: { ...params, automationSlug: 'greet' } })
    expect(greet).toMatchObject({ when: { endpoint: true }, output: { message: 'Hello {{name}}!' } })

    await ada(deleteWorkspace, { params })
    expect(await service.internal(createSampleWorkspace, { body })).toMatchObject({ created: false })
    await expect(ada(getWorkspace, { params })).rejects.toMatchObject({ status: 404 })
  })

  it('refuses everybody but the platform, and invalid input', async () => {
    const body = { ownerId: 'mallory' }
    await expect(service.nobody(createSampleWorkspace, { body })).rejects.toMatchObject({ status: 401 })
    await expect(service.as({})(createSampleWorkspace, { body })).rejects.toMatchObject({ status: 403 })
    await expect(service.as({ superAdmin: true })(createSampleWorkspace, { body })).rejects.toMatchObject({
      status: 403,
    })
    await expect(service.internal(createSampleWorkspace, { body: {} as never })).rejects.toMatchObject({
      status: 400,
    })
  })
})
