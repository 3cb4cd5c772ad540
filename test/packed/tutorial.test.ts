import { beforeAll, describe, expect, inject, it } from 'vitest'

import { followTutorial, type Followed } from '../docs/follow-tutorial.ts'

/** test/docs/tutorial.test.ts compares the text and JSON of the pages with the sources. */
describe('the tutorial, followed literally from an empty folder with npm and the tarballs', () => {
  let seen: Followed
  beforeAll(async () => {
    const { folder } = inject('packed')
    seen = await followTutorial((line) => line.replace('/tmp/mintmark', folder))
  })

  it('a user signs in at another application, whose refresh token works', () => {
    expect(seen.signedIn).toMatchObject({ sub: 'user-1', amr: ['pwd'] })
    expect(seen.refreshed).toEqual({ refreshed: true, expires_in: 600 })
  })

  it('the directory links the user, and then deactivates them', () => {
    expect(seen.adopted).toMatchObject({ id: 'user-1', active: true })
    expect(seen.refreshedThen).toEqual(seen.refreshed)
    expect(seen.deactivated).toMatchObject({ id: 'user-1', active: false })
    expect(seen.refreshRefused).toEqual({ error: 'invalid_grant' })
    expect(seen.signInRefused).toContain('Your account is deactivated.')
  })
})
