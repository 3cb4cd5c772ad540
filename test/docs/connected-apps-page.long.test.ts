import { join } from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { openFormBrowser } from '../support/form-browser.ts'
import { freePort } from '../support/free-port.ts'
import { blocksOf, follow } from './follow-page.ts'
import { openTerminal, type Terminal } from './terminal.ts'

const issuer = `http://localhost:${await freePort()}`
let terminal: Terminal
beforeAll(async () => {
  terminal = openTerminal({ ISSUER_URL: issuer, NODE_OPTIONS: '--conditions=@mintmark/source' })
  const environment = { terminal, npm: withoutNpm, programs: { 'app.ts': issuer } }
  const tutorial = blocksOf('docs/tutorial/authorization-server.md')
  await follow(
    tutorial.filter(({ code, source }) => !source.endsWith('client.ts') && !code.includes('client.ts')),
    environment,
  )
  await follow(blocksOf('docs/how-to/connected-apps-page.md'), environment)
}, 60_000)
afterAll(() => terminal.close())

it('the page, followed in the folder of the tutorial, lets a user sign in to the account page', async () => {
  const browser = openFormBrowser()

  const form = await browser.open(`${issuer}/account`)
  const page = await browser.fillIn(form, { username: 'ann@example.com', password: 'example' })

  expect(form.url.pathname).toBe('/sign-in')
  expect([page.url.pathname, page.text.includes('This browser')]).toEqual(['/account', true])
})

/** Replaces the npm commands: the packages are already installed in the workspace. */
const withoutNpm = (line: string): string =>
  line.startsWith('npm install')
    ? `ln -s ${join(process.cwd(), 'node_modules')} node_modules`
    : `echo '{ "type": "module" }' > package.json`
