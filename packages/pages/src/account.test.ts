import { describe, expect, test } from 'vitest'
import { tagsNamed, textOf } from '../test/html-reader.ts'
import { headerOf, tokensOf } from '../test/response-parts.ts'
import { accountPage } from './account.ts'
import { german } from './languages/german.ts'

const anApp = { grantId: 'g1', clientName: 'Field Notes', scopes: ['openid', 'notes.write', 'x'], since: 86_400 }
const aSession = { sessionId: 's1', signedInAt: 86_400, lastSeenAt: 172_800, clients: [] }

const anAccount = (changes: Partial<Parameters<typeof accountPage>[0]> = {}) =>
  tokensOf(accountPage({ apps: [anApp], sessions: [aSession], currentSessionId: 's1', ...changes }))

describe('accountPage', () => {
  test('lists apps with their scopes, each with a button that the name of the app describes', () => {
    const tokens = anAccount({ scopes: { 'notes.write': 'Change <your> notes', openid: 'Sign you in' } })

    expect(textOf(tokens)).toMatch(/Field Notes\s+Sign you inChange <your> notesx\s+Connected on Jan 2, 1970/)
    expect(tagsNamed(tokens, 'button')[0]).toEqual({
      type: 'submit',
      name: 'app',
      value: 'g1',
      'aria-describedby': 'app-g1',
    })
    expect(tagsNamed(tokens, 'strong')[0]).toEqual({ id: 'app-g1' })
  })

  test('links the name of an app to its login initiation URL, if it has one (OIDC Core §4)', () => {
    const url = 'https://app.test/start?iss=https%3A%2F%2Fas.test'
    const apps = [
      { ...anApp, initiateLoginUrl: url },
      { ...anApp, grantId: 'g2' },
    ]

    const tokens = anAccount({ apps })

    expect(tagsNamed(tokens, 'a').filter(({ href }) => href?.startsWith('https://app.test') === true)).toEqual([
      { href: url },
    ])
  })

  test('shows the logo of an app, which is the only image that it allows, and otherwise a letter', () => {
    const logoUrl = 'https://as.test/client-logo?client_id=A'
    const response = accountPage({
      apps: [
        { ...anApp, logoUrl },
        { ...anApp, grantId: 'g2' },
      ],
      sessions: [],
    })
    const tokens = tokensOf(response)

    expect(tagsNamed(tokens, 'img')).toEqual([{ src: logoUrl, alt: 'F' }])
    expect(tagsNamed(tokens, 'span').filter((tag) => tag['class'] === 'tile')).toHaveLength(3)
    expect(headerOf(response, 'Content-Security-Policy')).toContain('img-src https://as.test;')
  })

  test('shows no logo of an app whose name nobody has verified (RFC 7591 §5)', () => {
    const app = { ...anApp, logoUrl: 'https://as.test/client-logo?client_id=A', unverifiedHost: 'notes.example' }
    const response = accountPage({ apps: [app], sessions: [] })

    expect(tagsNamed(tokensOf(response), 'img')).toEqual([])
    expect(headerOf(response, 'Content-Security-Policy')).not.toContain('img-src')
    expect(textOf(tokensOf(response))).toMatch(/N\s+notes\.example \(Field Notes\)/)
  })

  test('lists sessions with browser, place, times and clients, and marks the session of this request', () => {
    const other = {
      ...aSession,
      sessionId: 's2',
      userAgent: 'Firefox on <b>',
      location: 'Lisbon',
      clients: [anApp, anApp],
    }
    const text = textOf(anAccount({ sessions: [aSession, other] }))

    expect(text).toMatch(/Unknown browser\s+This browser\s+Signed in on Jan 2, 1970, last used on Jan 3, 1970/)
    expect(text).toMatch(/Firefox on <b>\s+Lisbon\s+Signed in on [^]*Signed in to Field Notes, Field Notes/)
    expect(text.match(/This browser/g)).toHaveLength(1)
  })

  test('offers to end the other sessions only if there are any', () => {
    const named = (tokens: ReturnType<typeof anAccount>) => tagsNamed(tokens, 'button').map(({ name }) => name)

    expect(named(anAccount())).toEqual(['app', 'session'])
    expect(named(anAccount({ sessions: [aSession, { ...aSession, sessionId: 's2' }] }))).toContain('others')
  })

  test('says that no app has access', () => {
    expect(textOf(anAccount({ apps: [] }))).toContain('No app has access to your account.')
  })

  test('shows texts and dates in the language of the user', () => {
    const text = textOf(anAccount({ languages: [german] }))

    expect(text).toContain('Verbunden am 02.01.1970')
    expect(text).toContain('Sie anmelden')
  })

  test('posts only to its own page', () => {
    const response = accountPage({ apps: [anApp], sessions: [aSession] })

    expect(headerOf(response, 'Content-Security-Policy')).toContain(`form-action 'self';`)
    expect(headerOf(response, 'Cache-Control')).toBe('no-store')
  })
})
