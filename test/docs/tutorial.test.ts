import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { blocksOf } from './follow-page.ts'
import { followTutorial, type TutorialOutput } from './follow-tutorial.ts'

const pages = ['docs/tutorial/authorization-server.md', 'docs/tutorial/add-scim.md']

it.each(pages.flatMap(blocksOf).filter(({ language }) => language === 'ts'))(
  'the tutorial shows the current code of $source and names the file',
  ({ position, source, code }) => {
    const [page = '', line] = position.split(':')

    expect(code).toBe(readFileSync(source, 'utf8'))
    expect(readFileSync(page, 'utf8').split('\n').slice(0, Number(line)).join('\n').split('```').at(-2)).toContain(
      `\`${basename(source)}\``,
    )
  },
)

/** Takes five seconds; worth it, because every newcomer starts here. test/packed repeats it with tarballs and npm. */
describe('the tutorial, followed literally from an empty folder', () => {
  let output: TutorialOutput
  beforeAll(async () => {
    output = await followTutorial(withoutNpm, { NODE_OPTIONS: '--conditions=@mintmark/source' })
  })

  it('a user signs in at another application, whose refresh token works', () => {
    expect(output.signedIn).toMatchObject(shownJson(0))
    expect(output.refreshed).toEqual(shownJson(1))
  })

  it("the company's directory links the existing user, who stays signed in", () => {
    expect(output.linked).toMatchObject({ id: 'user-1', externalId: '00u1', userName: 'ann@example.com', active: true })
    expect(output.refreshedAfterLinking).toEqual(output.refreshed)
  })

  it('after the directory deactivates the user, the user can neither refresh nor sign in', () => {
    expect(output.deactivated).toMatchObject({ id: 'user-1', active: false })
    expect(output.refreshAfterDeactivation).toEqual(shownJson(2))
    expect(output.signInAfterDeactivation).toContain('Your account is deactivated.')
  })

  it('a directory cannot link a user of another company', () => {
    expect(output.stranger).toMatchObject({ userName: 'bob@example.com' })
    expect(output.stranger).not.toMatchObject({ id: 'user-2' })
  })
})

/** Replaces the npm commands: the packages are already installed in the workspace. */
const withoutNpm = (line: string): string =>
  line.startsWith('npm install')
    ? `ln -s ${join(process.cwd(), 'node_modules')} node_modules`
    : `echo '{ "type": "module" }' > package.json`

/** Returns the JSON block at this index without `iss`, because the test chooses the issuer's port. */
function shownJson(index: number): object {
  const shown = pages.flatMap(blocksOf).filter(({ language }) => language === 'json')
  const { iss: _, ...rest } = JSON.parse(shown[index]?.code ?? '') as Record<string, unknown>
  return rest
}
