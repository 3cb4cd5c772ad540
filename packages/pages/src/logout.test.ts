import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { aFormRequest } from '../test/form-request.ts'
import { tagsNamed, textOf } from '../test/html-reader.ts'
import { headerOf, tokensOf } from '../test/response-parts.ts'
import { english } from './languages/english.ts'
import { german } from './languages/german.ts'
import { logoutPage, signedOutPage } from './logout.ts'

const question = {
  kind: 'confirm',
  status: 200,
  action: 'https://as.test/session/end/confirm',
  fields: [
    ['post_logout_redirect_uri', 'https://app.test/bye'],
    ['state', `"><script>alert(1)</script>\r\n&`],
  ],
  client: { clientName: '<b>App</b>' },
  accountName: 'ann@example.test',
} as const

test('asks a signed-in user whether to sign out, and may lead back to the client (RP-Initiated Logout §2)', () => {
  const response = logoutPage(question)

  const text = textOf(tokensOf(response))
  expect(text).toContain('<b>App</b> asks you to sign out')
  expect(text).toContain('Signed in as ann@example.test')
  expect(headerOf(response, 'Content-Security-Policy')).not.toContain('form-action')
  expect(tagsNamed(tokensOf(response), 'form')).toEqual([{ method: 'post', action: question.action }])
})

test('names the apps that the user is signed in to, an unverified one by its host (RFC 7591 §5)', () => {
  const apps = [{ clientName: 'Notes' }, { clientName: 'Bank', unverifiedHost: 'bank.test' }]

  const text = textOf(tokensOf(logoutPage({ ...question, apps })))

  expect(text).toContain('Signed in to Notes, bank.test (Bank)')
})

test('posts the fields of the request unchanged', () => {
  const hidden = tagsNamed(tokensOf(logoutPage(question)), 'input').map(({ name, value }) => [name, value])

  expect(hidden).toEqual(question.fields.map((field) => [...field]))
})

test('the first button keeps the user signed in, so that Enter does not sign out', () => {
  const buttons = tagsNamed(tokensOf(logoutPage(question)), 'button')

  expect(buttons.map(({ value }) => value)).toEqual(['stay', 'sign_out'])
})

test('says what is wrong with a request, and still asks (RP-Initiated Logout §4)', () => {
  const problem = { code: 'invalid_request', description: 'The <hint> is forged.' }

  const response = logoutPage({ ...question, status: 400, problem })

  expect(response.status).toBe(400)
  expect(textOf(tokensOf(response))).toContain('The <hint> is forged.')
  expect(tagsNamed(tokensOf(response), 'button')).toHaveLength(2)
})

test('loads exactly the given addresses in frames, then continues to the client (Front-Channel Logout §3)', () => {
  const frames = ['https://a.test/out?iss=x&sid=y', 'http://localhost:3000/out', 'https://a.test/other']
  const continueTo = 'https://app.test/bye?state=a%22b'

  const response = logoutPage({ kind: 'signed_out', status: 200, frames, continueTo })

  const tokens = tokensOf(response)
  expect(tagsNamed(tokens, 'iframe').map(({ src }) => src)).toEqual(frames)
  expect(headerOf(response, 'Content-Security-Policy')).toContain('frame-src https://a.test http://localhost:3000;')
  expect(tagsNamed(tokens, 'a').map(({ href }) => href)).toEqual([continueTo])
  // The script continues by itself: a refresh next to it would visit the client twice.
  expect(String(response.body)).toContain(
    `<noscript><meta http-equiv="refresh" content="3;url=${continueTo}"></noscript>`,
  )
})

test('leaves out a frame whose host would change the policy', () => {
  const frames = ['https://a.test;script-src/out', 'https://b.test/out']

  const response = logoutPage({ kind: 'signed_out', status: 200, frames })

  expect(tagsNamed(tokensOf(response), 'iframe').map(({ src }) => src)).toEqual([frames[1]])
  expect(headerOf(response, 'Content-Security-Policy')).toContain('frame-src https://b.test;')
})

test('the Content Security Policy allows only the script of the page (CSP 3 §2.3.1)', () => {
  const response = logoutPage({ kind: 'signed_out', status: 200, frames: [], continueTo: 'https://app.test/bye' })

  const [, script = ''] = /<script>(.*)<\/script>/s.exec(String(response.body)) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  expect(headerOf(response, 'Content-Security-Policy')).toContain(`script-src 'sha256-${hash}'`)
})

test.each(['javascript:alert(1)', 'data:text/html,x', '//evil.test/', 'JAVASCRIPT:alert(1)'])(
  'refuses to link to %s',
  (continueTo) => {
    expect(() => logoutPage({ kind: 'signed_out', status: 200, frames: [], continueTo })).toThrow(TypeError)
  },
)

test('the signed-out page cannot post a form and runs no script', () => {
  const response = signedOutPage()

  expect(response.status).toBe(200)
  expect(tagsNamed(tokensOf(response), 'form')).toEqual([])
  expect(headerOf(response, 'Content-Security-Policy')).not.toMatch(/script-src|frame-src/)
  expect(textOf(tokensOf(response))).toContain('You are signed out')
})

test('uses the language of the request (RFC 9110 §12.5.4)', () => {
  const languages = [english, german]
  const request = { ...aFormRequest({ method: 'GET', body: '' }), headers: new Map([['accept-language', 'de-AT']]) }

  const pages = [
    logoutPage({ ...question, languages }, request),
    logoutPage({ ...question, languages, uiLocales: ['en'] }, request),
    logoutPage({ kind: 'signed_in', status: 200, languages, locale: 'de' }),
    signedOutPage({ languages }, request),
  ]

  expect(pages.map((page) => /<html lang="(..)"/.exec(String(page.body))?.[1])).toEqual(['de', 'en', 'de', 'de'])
})
