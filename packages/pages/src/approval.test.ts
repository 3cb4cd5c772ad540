import { describe, expect, test } from 'vitest'
import { tagsNamed, textOf } from '../test/html-reader.ts'
import { headerOf, tokensOf } from '../test/response-parts.ts'
import { approvalPage } from './approval.ts'
import { allLanguages } from './languages/all-languages.ts'

const pending = {
  client: { clientName: '<b>Agent</b>' },
  scopes: [{ name: 'openid', description: 'Know who you are' }],
  details: [{ id: '0', title: 'Pay 12.00 EUR', choices: [{ value: 'savings', label: 'Savings' }] }],
  bindingMessage: 'Order <1234>',
  askedFrom: 'Lyon <France>',
}

describe('the page for a request that a client made without a browser (CIBA Core 1.0 §7.1)', () => {
  test('shows the client, the account, the binding message, the details and the place as text', () => {
    const text = textOf(tokensOf(approvalPage({ kind: 'ask', pending, accountName: 'ada@example.org' })))

    for (const shown of [
      '<b>Agent</b>',
      'ada@example.org',
      'Order <1234>',
      'Pay 12.00 EUR',
      'Savings',
      'Lyon <France>',
    ])
      expect(text).toContain(shown)
  })

  test('posts to its own address only, and Enter denies', () => {
    const response = approvalPage({ kind: 'ask', pending })

    const tokens = tokensOf(response)
    expect(tagsNamed(tokens, 'form')).toEqual([{ method: 'post' }])
    expect(tagsNamed(tokens, 'button').map(({ value }) => value)).toEqual(['deny', 'allow'])
    expect(headerOf(response, 'Content-Security-Policy')).toContain("form-action 'self'")
  })

  test('names what identifies a client whose name nobody has verified in its heading', () => {
    const client = { clientName: 'Your Bank', unverifiedHost: 'agent.example' }

    const tokens = tokensOf(approvalPage({ kind: 'ask', pending: { ...pending, client } }))

    expect(textOf(tokens)).toContain('agent.example asks for your approval')
  })
})

test.each(allLanguages.map((messages) => [messages.lang, messages] as const))(
  'says in %s what became of the request, without a form',
  (_lang, messages) => {
    const look = { languages: [messages] }
    const { client } = pending
    const outcomes = [
      approvalPage({ ...look, kind: 'approved', client }),
      approvalPage({ ...look, kind: 'denied', client }),
      approvalPage({ ...look, kind: 'ended' }),
    ].map((response) => [response.status, tokensOf(response)] as const)

    expect(outcomes.map(([status]) => status)).toEqual([200, 200, 404])
    for (const [at, kind] of (['approved', 'denied', 'ended'] as const).entries()) {
      expect(textOf(outcomes[at]?.[1] ?? [])).toContain(messages.approval[kind].title)
      expect(tagsNamed(outcomes[at]?.[1] ?? [], 'form')).toEqual([])
    }
  },
)
