import { freePort } from '../support/free-port.ts'
import { openFormBrowser, type VisitedPage } from '../support/form-browser.ts'
import { blocksOf, follow, type Place } from './follow-page.ts'
import { openTerminal } from './terminal.ts'

/**
 * The output seen by a reader who follows `docs/tutorial` to its end from an empty folder: JSON of the client and of
 * the SCIM server.
 */
export interface Followed {
  readonly signedIn: unknown
  readonly refreshed: unknown
  /** The directory creates Ann, who already was a user. */
  readonly adopted: unknown
  readonly refreshedThen: unknown
  readonly deactivated: unknown
  readonly refreshRefused: unknown
  readonly signInRefused: string
  /** The directory creates a user of another company. */
  readonly stranger: unknown
}

/**
 * Writes each file, runs each command, and clicks.
 * @param npm replacements for npm command lines.
 * @param env variables in addition to the environment of the tests.
 */
export async function followTutorial(npm: Place['npm'], env: Readonly<Record<string, string>> = {}): Promise<Followed> {
  const issuer = `http://localhost:${await freePort()}`
  const client = `http://localhost:${await freePort()}`
  const terminal = openTerminal({ ...env, ISSUER_URL: issuer, CLIENT_URL: client })
  const place = { terminal, npm, programs: { 'app.ts': issuer, 'client.ts': `${client}/callback` } }
  const browser = openFormBrowser()
  const refresh = async (): Promise<unknown> => jsonOf(await browser.open(`${client}/refresh`))
  const signIn = async (): Promise<VisitedPage> =>
    browser.fillIn(await browser.open(client), { username: 'ann@example.com', password: 'example' })

  try {
    await follow(blocksOf('docs/tutorial/authorization-server.md'), place)
    const signedIn = jsonOf(await browser.fillIn(await signIn(), { decision: 'allow' }))
    const refreshed = await refresh()

    const [create = [], deactivate = [], createStranger = []] = splitAfterRequests('docs/tutorial/add-scim.md')
    const adopted = JSON.parse(await follow(create, place)) as unknown
    const refreshedThen = await refresh()
    const deactivated = JSON.parse(await follow(deactivate, place)) as unknown
    const refreshRefused = await refresh()
    const signInRefused = (await signIn()).text
    const stranger = JSON.parse(await follow(createStranger, place)) as unknown
    return { signedIn, refreshed, adopted, refreshedThen, deactivated, refreshRefused, signInRefused, stranger }
  } finally {
    await terminal.close()
  }
}

/** The page's blocks up to and including each request to the SCIM server. */
function splitAfterRequests(path: string): readonly (typeof blocks)[] {
  const blocks = blocksOf(path)
  const ends = blocks.flatMap(({ code }, index) => (code.includes('curl ') ? [index + 1] : []))
  return ends.map((end, index) => blocks.slice(ends[index - 1] ?? 0, end))
}

const jsonOf = ({ text }: VisitedPage): unknown => JSON.parse(text)
