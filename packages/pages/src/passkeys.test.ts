import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aFormRequest } from '../test/form-request.ts'
import { tagsNamed, textOf } from '../test/html-reader.ts'
import { headerOf, tokensOf } from '../test/response-parts.ts'
import { passkeysPage, readPasskeyForm } from './passkeys.ts'
import { signInPage } from './sign-in.ts'

const options = { challenge: 'abc', rpId: 'as.test', extensions: { x: `"><script>alert(1)</script>` } }
const signInTokens = tokensOf(signInPage({ passkey: options }))

describe('passkeys on the sign-in page', () => {
  test('gives the browser the options, also for the suggestions at the field of the name (WebAuthn Level 3 §5.1.4)', () => {
    const [form] = tagsNamed(signInTokens, 'form')

    expect(JSON.parse(form?.['data-passkey-get'] ?? '')).toEqual(options)
    expect(tagsNamed(signInTokens, 'input')[0]).toMatchObject({ name: 'username', autocomplete: 'username webauthn' })
  })

  test('has a hidden button, which only a browser with passkeys shows, and which does not send the form', () => {
    const buttons = tagsNamed(signInTokens, 'button')

    expect(buttons.at(1)).toEqual({ type: 'button', 'data-passkey-button': '', hidden: '' })
  })

  test('runs its own script and no other (CSP 3 §2.3.1); without passkeys there is none', () => {
    const response = signInPage({ passkey: options })
    const [, script = ''] = /<script>(.*?)<\/script>/s.exec(String(response.body)) ?? []
    const hash = createHash('sha256').update(script).digest('base64')

    expect(tagsNamed(signInTokens, 'script')).toEqual([{}])
    expect(headerOf(response, 'Content-Security-Policy')).toContain(`script-src 'sha256-${hash}';`)
    expect(headerOf(signInPage({}), 'Content-Security-Policy')).not.toContain('script-src')
  })
})

describe('passkeysPage', () => {
  const passkeys = [
    { id: 'AQID', name: '<i>Phone', createdAt: 1_780_000_000 },
    { id: 'BAUG', name: '', createdAt: 1_780_000_000 },
  ]

  test('lists passkeys with a button that removes each', () => {
    const tokens = tokensOf(passkeysPage({ creationOptions: options, passkeys }))

    expect(textOf(tokens)).toContain('<i>Phone')
    expect(textOf(tokens)).toContain('Passkey')
    expect(tagsNamed(tokens, 'button').filter(({ name }) => name === 'remove')).toEqual([
      { type: 'submit', name: 'remove', value: 'AQID', 'aria-describedby': 'passkey-AQID' },
      { type: 'submit', name: 'remove', value: 'BAUG', 'aria-describedby': 'passkey-BAUG' },
    ])
  })

  test('says that there is none, and that one was not stored', () => {
    const response = passkeysPage({ creationOptions: options, passkeys: [], hasFailed: true })

    expect(response.status).toBe(400)
    expect(textOf(tokensOf(response))).toContain('You have no passkeys yet.')
    expect(textOf(tokensOf(response))).toContain('No passkey was added.')
  })
})

describe('readPasskeyForm', () => {
  const read = (text: string) =>
    readPasskeyForm(aFormRequest({ body: new URLSearchParams({ passkey: text }).toString() }))

  test('reads a JSON object', () => {
    expect(read('{"id":"AQID","type":"public-key"}')).toEqual({ id: 'AQID', type: 'public-key' })
    expect(read(JSON.stringify({ id: 'x'.repeat(16_384 - 9) }))).toBeDefined()
  })

  test.each([
    ['nothing', ''],
    ['something else than JSON', '{'],
    ['a list', '[]'],
    ['null', 'null'],
    ['text', '"AQID"'],
    ['an object without an identifier', '{"type":"public-key"}'],
    ['an object whose identifier is no text, for which a database would throw', '{"id":{"toString":1}}'],
    ['too much', JSON.stringify({ id: 'x'.repeat(16_384 - 8) })],
  ])('refuses %s', (_, text) => {
    expect(read(text)).toBeUndefined()
  })

  test.each([
    ['no field', 'username=ada&password=x'],
    ['two fields', 'passkey={}&passkey={}'],
  ])('refuses a form with %s', (_, body) => {
    expect(readPasskeyForm(aFormRequest({ body }))).toBeUndefined()
  })
})
