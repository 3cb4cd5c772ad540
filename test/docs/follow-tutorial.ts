import { freePort } from '../support/free-port.ts'
import { openFormBrowser, type VisitedPage } from '../support/form-browser.ts'
import { blocksOf, follow, type PageEnvironment } from './follow-page.ts'
import { openTerminal } from './terminal.ts'

/** The JSON of the client and of the SCIM server that a reader sees who follows `docs/tutorial` from an empty folder. */
export interface TutorialOutput {
  readonly signedIn: unknown
  readonly refreshed: unknown
  /** The response to the directory's request that creates Ann, who is a user already. */
  readonly linked: unknown
  readonly refreshedAfterLinking: unknown
  readonly deactivated: unknown
  readonly refreshAfterDeactivation: unknown
  readonly signInAfterDeactivation: string
  /** The response to the directory's request that creates a user of another company. */
  readonly stranger: unknown
}

/**
 * Follows the tutorial: writes each file, runs each command and clicks.
 * @param npm replacements for npm command lines.
 * @param env variables in addition to the environment of the tests.
 */
export async function followTutorial(
  npm: PageEnvironment['npm'],
  env: Readonly<Record<string, string>> = {},
): Promise<TutorialOutput> {
  const issuer = `http://localhost:${await freePort()}`
  const client = `http://localhost:${await freePort()}`
  const terminal = openTerminal({ ...env, ISSUER_URL: issuer, CLIENT_URL: client })
  const environment = { terminal, npm, programs: { 'app.ts': issuer, 'client.ts': `${client}/callback` } }
  const browser = openFormBrowser()
  const refresh = async (): Promise<unknown> => jsonOf(await browser.open(`${client}/refresh`))
  const signIn = async (): Promise<VisitedPage> =>
    browser.fillIn(await browser.open(client), { username: 'ann@example.com', password: 'example' })

  try {
    await follow(blocksOf('docs/tutorial/authorization-server.md'), environment)
    const signedIn = jsonOf(await browser.fillIn(await signIn(), { decision: 'allow' }))
    const refreshed = await refresh()

    const [create = [], deactivate = [], createStranger = []] = splitAfterRequests('docs/tutorial/add-scim.md')
    const linked = JSON.parse(await follow(create, environment)) as unknown
    const refreshedAfterLinking = await refresh()
    const deactivated = JSON.parse(await follow(deactivate, environment)) as unknown
    const refreshAfterDeactivation = await refresh()
    const signInAfterDeactivation = (await signIn()).text
    const stranger = JSON.parse(await follow(createStranger, environment)) as unknown
    return {
      signedIn,
      refreshed,
      linked,
      refreshedAfterLinking,
      deactivated,
      refreshAfterDeactivation,
      signInAfterDeactivation,
      stranger,
    }
  } finally {
    await terminal.close()
  }
}

/** Splits the page's blocks after each request to the SCIM server. */
function splitAfterRequests(path: string): readonly (typeof blocks)[] {
  const blocks = blocksOf(path)
  const ends = blocks.flatMap(({ code }, index) => (code.includes('curl ') ? [index + 1] : []))
  return ends.map((end, index) => blocks.slice(ends[index - 1] ?? 0, end))
}

const jsonOf = ({ text }: VisitedPage): unknown => JSON.parse(text)
