import { describe, expect, test } from 'vitest'
import { tagsNamed, textOf } from '../test/html-reader.ts'
import { headerOf, tokensOf } from '../test/response-parts.ts'
import { selectAccountPage } from './select-account.ts'

const switchAccountUrl = 'https://as.test/login?interaction=h&account=other'
const aChoice = (changes: Partial<Parameters<typeof selectAccountPage>[0]> = {}) =>
  selectAccountPage({
    client: { clientName: 'Field Notes' },
    accountName: 'ada@example.org',
    switchAccountUrl,
    ...changes,
  })

describe('selectAccountPage', () => {
  test('offers the signed-in account and a link to another one (OIDC Core §3.1.2.1)', () => {
    const tokens = tokensOf(aChoice())

    expect(textOf(tokens)).toMatch(/to continue to Field Notes[^]*Continue as ada@example.org[^]*Use another account/)
    expect(tagsNamed(tokens, 'button')).toEqual([
      { class: 'primary', type: 'submit', name: 'account', value: 'signed_in' },
    ])
    expect(tagsNamed(tokens, 'a')).toEqual([{ href: switchAccountUrl }])
  })

  test('offers no other account to a client that accepts only one user', () => {
    expect(tagsNamed(tokensOf(aChoice({ switchAccountUrl: undefined })), 'a')).toEqual([])
  })

  test('has a button that leads back to the client if the host says where it posts (RFC 6749 §4.1.2.1)', () => {
    const cancelUrl = 'https://as.test/auth/cancel?interaction=h'

    const [first, ...others] = tagsNamed(tokensOf(aChoice({ cancelUrl })), 'button')

    expect(first).toMatchObject({ name: 'account' })
    expect(others).toEqual([{ type: 'submit', formaction: cancelUrl, formnovalidate: '' }])
  })

  test('escapes and shortens a name that somebody else chose', () => {
    const text = textOf(tokensOf(aChoice({ accountName: `<b>${'a'.repeat(200)}` })))

    expect(text).toContain('Continue as <b>aaa')
    expect(text).toContain('…')
  })

  test('has a form that posts to the address of the page, and whose response may lead anywhere through the client (CSP 3 §6.4.1)', () => {
    const response = aChoice()

    expect(tagsNamed(tokensOf(response), 'form')).toEqual([{ method: 'post' }])
    expect(headerOf(response, 'Content-Security-Policy')).not.toContain('form-action')
  })
})
