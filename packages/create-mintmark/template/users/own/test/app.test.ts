import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { openBrowser } from '#test-browser'
import { samplePassword, startSite } from '#test-site'

// The user is the sample of src/users.ts. Use a user of your test database once it reads your own table.
let site: Awaited<ReturnType<typeof startSite>>
before(async () => {
  site = await startSite()
})
after(() => site.stop())

test('/try signs a user of your table in, and shows the user', async () => {
  const browser = openBrowser(site.issuer)
  const signInPage = await browser.open(new URL(`${site.issuer}/try`))
  const consentPage = await browser.fillIn(signInPage, { username: 'ann', password: samplePassword })

  const result = await browser.fillIn(consentPage, { decision: 'allow' })

  assert.match(result.html, /<h1>Signed in as Ann Lee<\/h1>/)
})

test('the link with the secret signs the user in without a password, and a wrong secret does not', async () => {
  const browser = openBrowser(site.issuer)
  const wrong = await browser.open(new URL(`${site.issuer}/try?key=wrong`))
  const right = await browser.open(new URL(`${site.issuer}/try?key=${site.tryKey}`))

  assert.match(wrong.html, /name="password"/)
  assert.match(right.html, /name="decision"/)
})

test('/health and /ready answer load balancers', async () => {
  const paths = ['/health', '/ready']
  const responses = await Promise.all(paths.map((path) => fetch(site.issuer + path)))

  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200],
  )
})

test('/sign-in signs a user in to the site, and a wrong password does not', async () => {
  const browser = openBrowser(site.issuer)
  const signInPage = await browser.open(new URL(`${site.issuer}/sign-in`))

  const refused = await browser.fillIn(signInPage, { username: 'ann', password: 'wrong' })
  const home = await browser.fillIn(refused, { username: 'ann', password: samplePassword })

  assert.match(refused.html, /name="password"/)
  assert.match(home.html, /You are signed in here/)
})
