import { beforeAll, describe, expect, inject, it } from 'vitest'

import { followTutorial, type TutorialOutput } from '../docs/follow-tutorial.ts'

/** test/docs/tutorial.test.ts compares the text and JSON of the pages with the sources. */
describe('the tutorial, followed literally from an empty folder with npm and the tarballs', () => {
  let output: TutorialOutput
  beforeAll(async () => {
    const { folder } = inject('packed')
    output = await followTutorial((line) => line.replace('/tmp/mintmark', folder))
  })

  it('a user signs in at another application, whose refresh token works', () => {
    expect(output.signedIn).toMatchObject({ sub: 'user-1', amr: ['pwd'] })
    expect(output.refreshed).toEqual({ refreshed: true, expires_in: 600 })
  })

  it('the directory links the user, and then deactivates them', () => {
    expect(output.linked).toMatchObject({ id: 'user-1', active: true })
    expect(output.refreshedAfterLinking).toEqual(output.refreshed)
    expect(output.deactivated).toMatchObject({ id: 'user-1', active: false })
    expect(output.refreshAfterDeactivation).toEqual({ error: 'invalid_grant' })
    expect(output.signInAfterDeactivation).toContain('Your account is deactivated.')
  })
})
