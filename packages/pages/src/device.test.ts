import { describe, expect, test } from 'vitest'
import { tagsNamed, textOf } from '../test/html-reader.ts'
import { headerOf, tokensOf } from '../test/response-parts.ts'
import { devicePage } from './device.ts'
import { allLanguages } from './languages/all-languages.ts'

const question = {
  kind: 'confirm',
  status: 200,
  action: 'https://as.test/device/confirm',
  fields: [['confirmation', '"><script>alert(1)</script>']],
  userCode: 'WDJB-MJHT',
  client: { clientName: '<b>TV</b>' },
  scopes: [
    { name: 'openid', description: 'Know who you are' },
    { name: 'api.read', description: 'Read <the> API' },
  ],
  askedFrom: 'Lyon <France>',
} as const

describe('the page for a user code (RFC 8628 §3.3)', () => {
  test('sends the code with GET to the server, and allows no other form', () => {
    const response = devicePage({ kind: 'enter', status: 200, action: 'https://as.test/device' })

    const tokens = tokensOf(response)
    expect(tagsNamed(tokens, 'form')).toEqual([{ method: 'get', action: 'https://as.test/device' }])
    expect(tagsNamed(tokens, 'input')[0]).toMatchObject({ name: 'user_code', autocomplete: 'off' })
    expect(headerOf(response, 'Content-Security-Policy')).toContain("form-action 'self'")
  })

  test.each(['unknown', 'throttled'] as const)('says that a code was %s', (problem) => {
    const response = devicePage({ kind: 'enter', status: 404, action: 'https://as.test/device', problem })

    expect(response.status).toBe(404)
    expect(tagsNamed(tokensOf(response), 'div')).toContainEqual(expect.objectContaining({ role: 'alert' }))
  })
})

describe('the question whether the device is the user’s (RFC 8628 §5.4)', () => {
  test('shows the code, the client, the scope values and the place as text', () => {
    const text = textOf(tokensOf(devicePage(question)))

    for (const shown of ['WDJB-MJHT', '<b>TV</b>', 'Know who you are', 'Read <the> API', 'Lyon <France>'])
      expect(text).toContain(shown)
  })

  test('posts the fields unchanged, and Enter stops', () => {
    const tokens = tokensOf(devicePage(question))

    expect(tagsNamed(tokens, 'input').map(({ name, value }) => [name, value])).toEqual([...question.fields])
    expect(tagsNamed(tokens, 'button').map(({ value }) => value)).toEqual(['stop', 'continue'])
  })

  test('shows what identifies a client whose name nobody has verified, and not the name', () => {
    const client = { clientName: 'Your Bank', unverifiedHost: 'client-7' }

    const text = textOf(tokensOf(devicePage({ ...question, client })))

    expect(text).toContain('client-7')
    expect(text).not.toContain('Your Bank')
  })
})

test.each(allLanguages.map((messages) => [messages.lang, messages] as const))(
  'says in %s what the user decided, without a form',
  (_lang, messages) => {
    for (const kind of ['approved', 'denied'] as const) {
      const look = { languages: [messages] }
      const response = devicePage({ ...look, kind, status: 200, client: { clientName: 'TV' } })

      const tokens = tokensOf(response)
      expect(textOf(tokens)).toContain(messages.device[kind].title)
      expect(tagsNamed(tokens, 'form')).toEqual([])
    }
  },
)
