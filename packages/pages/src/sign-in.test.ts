import { describe, expect, test } from 'vitest'
import { aFormRequest } from '../test/form-request.ts'
import { tagsNamed, textOf } from '../test/html-reader.ts'
import { headerOf, tokensOf } from '../test/response-parts.ts'
import { english } from './languages/english.ts'
import { german } from './languages/german.ts'
import { readSignInForm, readUsernameForm, signInPage } from './sign-in.ts'

describe('signInPage', () => {
  test('both fields have labels and an autocomplete purpose (WCAG 2.2 §1.3.5, §3.3.2)', () => {
    const tokens = tokensOf(signInPage({ client: { clientName: 'Field Notes' }, loginHint: '"ada"' }))

    expect(tagsNamed(tokens, 'label')).toEqual([{ for: 'username' }, { for: 'password' }])
    expect(tagsNamed(tokens, 'input')).toMatchObject([
      { id: 'username', name: 'username', autocomplete: 'username', value: '"ada"' },
      { id: 'password', name: 'password', type: 'password', autocomplete: 'current-password' },
    ])
    expect(textOf(tokens)).toContain('to continue to Field Notes')
  })

  test.each([
    ['rejected', 403],
    ['incomplete', 400],
    ['throttled', 429],
  ] as const)(
    'shows an error as a sentence that has the focus and describes both fields (WCAG 2.2 §3.3.1): %s',
    (error, status) => {
      const response = signInPage({ error })

      const tokens = tokensOf(response)
      expect(response.status).toBe(status)
      expect(textOf(tokens)).toContain('You are not signed in – Sign in')
      expect(tagsNamed(tokens, 'h2')).toEqual([{ tabindex: '-1', autofocus: '' }])
      expect(tagsNamed(tokens, 'p')).toContainEqual({ id: 'error-text' })
      expect(tagsNamed(tokens, 'input').map((input) => input['aria-describedby'])).toEqual(['error-text', 'error-text'])
    },
  )

  test.each([
    [english, 'directory/name'],
    [german, 'Verzeichnis/Name'],
  ] as const)(
    'shows a hint for users of a directory, together with an error (WCAG 2.2 §3.3.2): $0.lang',
    (messages, text) => {
      const shown = (error?: 'rejected') =>
        tokensOf(signInPage({ usernameHint: 'directory', error, languages: [messages] }))

      expect(textOf(shown())).toContain(text)
      expect(tagsNamed(shown(), 'input').map((input) => input['aria-describedby'])).toEqual([
        'username-hint',
        undefined,
      ])
      expect(tagsNamed(shown('rejected'), 'input').map((input) => input['aria-describedby'])).toEqual([
        'error-text username-hint',
        'error-text',
      ])
      expect(textOf(tokensOf(signInPage({ languages: [messages] })))).not.toContain(text)
    },
  )

  test('marks both fields as invalid after a rejection, and neither without an error or after too many attempts', () => {
    const invalid = (error?: 'rejected' | 'throttled') =>
      tagsNamed(tokensOf(signInPage({ error })), 'input').map((input) => input['aria-invalid'])

    expect(invalid('rejected')).toEqual(['true', 'true'])
    expect(invalid('throttled')).toEqual([undefined, undefined])
    expect(invalid()).toEqual([undefined, undefined])
  })

  test('its response may lead anywhere through the client, because consent may be remembered (CSP 3 §6.4.1)', () => {
    expect(headerOf(signInPage({}), 'Content-Security-Policy')).not.toContain('form-action')
  })

  test('has a button after the others that leads back to the client (RFC 6749 §4.1.2.1)', () => {
    const cancelUrl = 'https://as.test/auth/cancel?interaction=h'

    expect(tagsNamed(tokensOf(signInPage({ cancelUrl })), 'button')).toEqual([
      { class: 'primary', type: 'submit' },
      { type: 'submit', formaction: cancelUrl, formnovalidate: '' },
    ])
    expect(tagsNamed(tokensOf(signInPage({})), 'button')).toHaveLength(1)
  })

  test('can ask only for the name, which readUsernameForm reads and readSignInForm does not', () => {
    const request = aFormRequest({ body: 'username=+ada%40customer.example+' })

    expect(tagsNamed(tokensOf(signInPage({ fields: 'username' })), 'input').map(({ name }) => name)).toEqual([
      'username',
    ])
    expect(readUsernameForm(request)).toBe('ada@customer.example')
    expect(readSignInForm(request)).toBeUndefined()
  })

  test.each([
    ['a password as well', 'username=ada&password=x'],
    ['an empty password', 'username=ada&password='],
    ['two names', 'username=ada&username=bob'],
    ['a blank name', 'username=+'],
    ['a name that is too long', `username=${'a'.repeat(257)}`],
    ['no name', 'other=1'],
  ])('readUsernameForm refuses a form with %s', (_, body) => {
    expect(readUsernameForm(aFormRequest({ body }))).toBeUndefined()
  })

  test('links to other ways to sign in, in a list with a name (WCAG 2.2 §1.3.1)', () => {
    const alternatives = [{ label: '<b>Contoso', url: 'https://as.test/sso?to=contoso' }]
    const tokens = tokensOf(signInPage({ alternatives }))

    expect(tagsNamed(tokens, 'nav')).toEqual([{ class: 'alternatives', 'aria-label': 'Other ways to sign in' }])
    expect(tagsNamed(tokens, 'a')).toContainEqual({ href: 'https://as.test/sso?to=contoso' })
    expect(textOf(tokens)).toContain('<b>Contoso')
    expect(() => signInPage({ alternatives: [{ label: 'x', url: 'javascript:alert(1)' }] })).toThrow(TypeError)
    expect(tagsNamed(tokensOf(signInPage({})), 'nav')).toEqual([])
  })

  test('offers to keep the user signed in, and reads the answer', () => {
    const box = (remember?: 'checked' | 'unchecked') =>
      tagsNamed(tokensOf(signInPage({ remember })), 'input').filter(({ type }) => type === 'checkbox')
    const read = (more: string) => readSignInForm(aFormRequest({ body: `username=ada&password=x${more}` }))?.remember

    expect([box(), box('unchecked'), box('checked')]).toEqual([
      [],
      [{ type: 'checkbox', name: 'remember', value: 'yes' }],
      [{ type: 'checkbox', name: 'remember', value: 'yes', checked: '' }],
    ])
    expect([read(''), read('&remember=yes'), read('&remember=no'), read('&remember=yes&remember=yes')]).toEqual([
      false,
      true,
      false,
      false,
    ])
  })

  test('shows a hostile client and hint as text', () => {
    const hostile = '"><script>alert(1)</script>'
    const tokens = tokensOf(signInPage({ client: { clientName: hostile }, loginHint: hostile }))

    expect(textOf(tokens)).toContain(`to continue to ${hostile}`)
    expect(tagsNamed(tokens, 'script')).toEqual([])
    expect(tagsNamed(tokens, 'input')[0]?.['value']).toBe(hostile)
  })
})

describe('readSignInForm', () => {
  test('reads the name without the spaces around it, and the password unchanged', () => {
    const request = aFormRequest({ body: 'username=+ada%40example.org+&password=+p%C3%A4ss%0D%0Aw%2Brd+' })

    expect(readSignInForm(request)).toEqual({
      username: 'ada@example.org',
      password: ' päss\r\nw+rd ',
      remember: false,
    })
  })

  test.each([
    ['a form without a password', { body: 'username=ada' }],
    ['a form without a name', { body: 'password=x' }],
    ['a blank name', { body: 'username=++&password=x' }],
    ['an empty password', { body: 'username=ada&password=' }],
    ['two names', { body: 'username=ada&username=bob&password=x' }],
    ['two passwords', { body: 'username=ada&password=x&password=x' }],
    ['a name that is too long', { body: `username=${'a'.repeat(257)}&password=x` }],
    ['a password that is too long', { body: `username=ada&password=${'a'.repeat(1025)}` }],
    ['a broken escape', { body: 'username=ada&password=%zz' }],
    ['another media type', { body: 'username=ada&password=x', contentType: 'multipart/form-data; boundary=x' }],
    ['a GET', { body: 'username=ada&password=x', method: 'GET' }],
  ])('refuses %s', (_, request) => {
    expect(readSignInForm(aFormRequest(request))).toBeUndefined()
  })

  test('accepts a name and a password of maximum length', () => {
    const [username, password] = ['a'.repeat(256), 'b'.repeat(1024)]

    expect(readSignInForm(aFormRequest({ body: `username=${username}&password=${password}` }))).toEqual({
      username,
      password,
      remember: false,
    })
  })
})
