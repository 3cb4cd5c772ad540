import { expect, test } from 'vitest'
import { textOf } from '../test/html-reader.ts'
import { tokensOf } from '../test/response-parts.ts'
import { accountPage } from './account.ts'
import { initial, redirectDestination, renderName } from './client-display.ts'
import { toMarkup } from './html.ts'
import { logoutPage } from './logout.ts'
import { selectAccountPage } from './select-account.ts'
import { signInPage } from './sign-in.ts'

const shown = (name: string) => toMarkup(renderName(name, 'no name'))

test.each([
  ['Field Notes', 'Field Notes'],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['one\r\n\t two\u2028three', 'one two three'],
  ['', 'no name'],
  ['\u2060\u00AD \uFEFF', 'no name'],
  ['دفتر ملاحظات', 'دفتر ملاحظات'],
  ['evil\u202Egpj.exe', 'evilgpj.exe'],
  ['Pay\u200BPal\u2066 \u00ADBank\u200F', 'PayPal Bank'],
])('shows a name on one line, isolated from the sentence around it: %j', (name, text) => {
  expect(shown(name)).toBe(`<bdi class="name">${text}</bdi>`)
})

test('shortens a long name without splitting a character', () => {
  const name = `A${'🍃'.repeat(5000)}`

  expect(shown(name)).toBe(`<bdi class="name">A${'🍃'.repeat(78)}…</bdi>`)
  expect(shown('x'.repeat(80))).toContain('x'.repeat(80))
})

test.each([
  ['field notes', 'F'],
  ['<4 u>', '4'],
  ['دفتر', 'د'],
  ['☃', undefined],
])('finds the first letter or digit for the tile: %s', (name, letter) => {
  expect(initial(name)).toBe(letter)
})

test.each([
  ['https://app.test:8443/cb', 'website', 'app.test:8443'],
  ['https://user@app.test/cb', 'website', 'app.test'],
  ['https://аpp.test/cb', 'website', 'xn--pp-6kc.test'],
  ['http://127.0.0.1:51000/cb', 'device', '127.0.0.1:51000'],
  ['http://[::1]:51000/cb', 'device', '[::1]:51000'],
  ['http://localhost:51000/cb', 'device', 'localhost:51000'],
  ['http://localhost.evil.test/cb', 'website', 'localhost.evil.test'],
  ['com.example.app:/cb', 'app', 'com.example.app'],
])('names the redirect target, with an international host in ASCII: %s', (redirectUri, kind, name) => {
  expect(redirectDestination(redirectUri)).toEqual({ kind, name })
})

test.each(['\u200B', '\u2800', '\u200E', '\uFE0F', '\u{E0041}', '...', '\u202E'])(
  'shows a name without a letter or a number as a client without a name: %j (RFC 7591 §5)',
  (name) => {
    expect(toMarkup(renderName(name, 'unnamed'))).toBe('<bdi class="name">unnamed</bdi>')
  },
)

const impostor = { clientName: 'Google Workspace', unverifiedHost: 'evil.test' }
const aSession = { sessionId: 's1', signedInAt: 86_400, lastSeenAt: 172_800 }
const confirm = {
  kind: 'confirm',
  status: 200,
  action: 'https://as.test/end',
  fields: [],
  accountName: undefined,
} as const

test.each([
  ['sign-in', () => signInPage({ client: impostor })],
  [
    'selection of an account',
    () => selectAccountPage({ client: impostor, accountName: 'ada', switchAccountUrl: 'https://as.test/login' }),
  ],
  ['sign-out', () => logoutPage({ ...confirm, client: impostor })],
  [
    'connected applications',
    () => accountPage({ apps: [{ ...impostor, grantId: 'g', scopes: [], since: 0 }], sessions: [] }),
  ],
  ['sessions', () => accountPage({ apps: [], sessions: [{ ...aSession, clients: [impostor] }] })],
])('the page of %s shows the host of a client before a name that nobody has verified (RFC 7591 §5)', (_, page) => {
  expect(textOf(tokensOf(page()))).toContain('evil.test (Google Workspace)')
})
