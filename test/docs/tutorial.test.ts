import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { blocksOf } from './follow-page.ts'
import { followTutorial, type Followed } from './follow-tutorial.ts'

const pages = ['docs/tutorial/authorization-server.md', 'docs/tutorial/add-scim.md']

it.each(pages.flatMap(blocksOf).filter(({ language }) => language === 'ts'))(
  'the tutorial names the file of $source and shows compiled code',
  ({ position, source, code }) => {
    const [page = '', line] = position.split(':')

    expect(code).toBe(readFileSync(source, 'utf8'))
    expect(readFileSync(page, 'utf8').split('\n').slice(0, Number(line)).join('\n').split('```').at(-2)).toContain(
      `\`${basename(source)}\``,
    )
  },
)

/** Takes five seconds: every newcomer starts with this tutorial. test/packed follows it with tarballs and npm. */
describe('the tutorial, followed literally from an empty folder', () => {
  let seen: Followed
  beforeAll(async () => {
    seen = await followTutorial(withoutNpm, { NODE_OPTIONS: '--conditions=@mintmark/source' })
  })

  it('a user signs in at another application, whose refresh token works', () => {
    expect(seen.signedIn).toMatchObject(shownJson(0))
    expect(seen.refreshed).toEqual(shownJson(1))
  })

  it("the company's directory links the existing user, who stays signed in", () => {
    expect(seen.adopted).toMatchObject({ id: 'user-1', externalId: '00u1', userName: 'ann@example.com', active: true })
    expect(seen.refreshedThen).toEqual(seen.refreshed)
  })

  it('after deactivation by the directory the user can neither refresh nor sign in', () => {
    expect(seen.deactivated).toMatchObject({ id: 'user-1', active: false })
    expect(seen.refreshRefused).toEqual(shownJson(2))
    expect(seen.signInRefused).toContain('Your account is deactivated.')
  })

  it('a directory cannot link a user of another company', () => {
    expect(seen.stranger).toMatchObject({ userName: 'bob@example.com' })
    expect(seen.stranger).not.toMatchObject({ id: 'user-2' })
  })
})

/** The packages installed in the workspace. */
const withoutNpm = (line: string): string =>
  line.startsWith('npm install')
    ? `ln -s ${join(process.cwd(), 'node_modules')} node_modules`
    : `echo '{ "type": "module" }' > package.json`

/** The output of the pages in order; the test chooses the issuer's port. */
function shownJson(index: number): object {
  const shown = pages.flatMap(blocksOf).filter(({ language }) => language === 'json')
  const { iss: _, ...rest } = JSON.parse(shown[index]?.code ?? '') as Record<string, unknown>
  return rest
}
