import { describe, expect, test } from 'vitest'
import { aFormRequest } from '../test/form-request.ts'
import { tagsNamed, textOf } from '../test/html-reader.ts'
import { bodyOf, headerOf, tokensOf } from '../test/response-parts.ts'
import { consentPage, readConsentForm } from './consent.ts'
import { english } from './languages/english.ts'
import { german } from './languages/german.ts'

const aConsent = (changes: Partial<Parameters<typeof consentPage>[0]> = {}) =>
  consentPage({
    client: { clientName: 'Field Notes' },
    redirectUri: 'https://notes.test/cb',
    scopes: [
      { name: 'openid', description: 'Know who you are' },
      { name: 'email', description: 'See your email address', granted: true },
      { name: 'notes:write', description: 'Change <your> notes' },
    ],
    accountName: 'ada@example.org',
    ...changes,
  })

describe('consentPage', () => {
  test('shows the client, the user, the scopes and the redirect target (OpenID Connect Core §3.1.2.4)', () => {
    const text = textOf(tokensOf(aConsent()))

    expect(text).toContain('Field Notes wants to use your account')
    expect(text).toContain('Signed in as ada@example.org')
    expect(text).toMatch(/Know who you are[^]*See your email address[^]*Change <your> notes/)
    expect(text).toContain('You then continue to notes.test')
  })

  test('names the APIs that get the access (RFC 8707 §3)', () => {
    const resources = [{ name: 'Payments <b>' }, { name: 'Notes' }]

    expect(textOf(tokensOf(aConsent({ resources })))).toContain('This is for Payments <b>, Notes')
    expect(textOf(tokensOf(aConsent()))).not.toContain('This is for')
  })

  test('asks a user of several organizations to choose one, and preselects none', () => {
    const acme = { organizationId: 'acme', name: 'Acme <b>' }
    const globex = { organizationId: 'g"x', name: 'Globex' }
    const radios = (organizations: readonly (typeof acme)[]) =>
      tagsNamed(tokensOf(aConsent({ organizations })), 'input').filter(({ type }) => type === 'radio')

    expect(radios([acme, globex])).toEqual([
      { type: 'radio', name: 'organization', value: 'acme', required: '' },
      { type: 'radio', name: 'organization', value: 'g"x', required: '' },
    ])
    expect(textOf(tokensOf(aConsent({ organizations: [acme, globex] })))).toMatch(
      /For which organization\?[^]*Acme <b>/,
    )
    expect(radios([acme])).toEqual([])
  })

  test('lets the user uncheck every scope but openid (RFC 6749 §3.3)', () => {
    const inputs = tagsNamed(tokensOf(aConsent()), 'input')

    expect(inputs).toEqual([
      { type: 'hidden', name: 'scope', value: 'openid' },
      { type: 'checkbox', name: 'scope', value: 'email', checked: '' },
      { type: 'checkbox', name: 'scope', value: 'notes:write', checked: '' },
    ])
  })

  test('marks Allow as the primary action, and Enter presses Deny', () => {
    const buttons = tagsNamed(tokensOf(aConsent()), 'button')

    expect(buttons).toEqual([
      { type: 'submit', name: 'decision', value: 'deny', formnovalidate: '' },
      { class: 'primary', type: 'submit', name: 'decision', value: 'allow' },
    ])
  })

  test('links to the sign-in page for another account, if the request accepts one', () => {
    const switchAccountUrl = 'https://as.test/login?interaction=h&account=other'

    expect(tagsNamed(tokensOf(aConsent({ switchAccountUrl })), 'a')).toEqual([{ href: switchAccountUrl }])
    expect(textOf(tokensOf(aConsent({ switchAccountUrl })))).toContain('Use another account')
    expect(textOf(tokensOf(aConsent()))).not.toContain('Use another account')
  })

  test('links to the pages of the client, shows the host of each, and sends them no referrer (RFC 7591 §2)', () => {
    const client = {
      clientName: 'Field Notes',
      unverifiedHost: 'notes.test',
      clientUri: 'https://notes.test/about',
      tosUri: 'https://terms.test:8443/?a="b"',
    }
    const tokens = tokensOf(aConsent({ client }))

    expect(tagsNamed(tokens, 'a')).toEqual([
      { href: 'https://notes.test/about', target: '_blank', rel: 'noopener noreferrer' },
      { href: 'https://terms.test:8443/?a="b"', target: '_blank', rel: 'noopener noreferrer' },
    ])
    expect(textOf(tokens)).toMatch(
      /Pages of this app:[^]*Website[^]*notes\.test[^]*Terms of service[^]*terms\.test:8443/,
    )
    expect(textOf(tokens)).not.toContain('Privacy policy')
    expect(textOf(tokensOf(aConsent()))).not.toContain('Pages of this app')
  })

  test('shows the logo from the server, except for an unverified client (RFC 7591 §5)', () => {
    const client = { clientName: 'Field Notes', logoUrl: 'https://as.test/client-logo?client_id=a' }
    const shown = aConsent({ client })
    const unverified = aConsent({ client: { ...client, unverifiedHost: 'notes.test' } })

    expect(tagsNamed(tokensOf(shown), 'img')).toEqual([{ src: client.logoUrl, alt: 'F' }])
    expect(headerOf(shown, 'Content-Security-Policy')).toContain('; img-src https://as.test; frame-ancestors')
    expect(tagsNamed(tokensOf(unverified), 'img')).toEqual([])
    expect(headerOf(unverified, 'Content-Security-Policy')).not.toContain('img-src')
  })

  test('refuses a link that would run a script (RFC 7591 §5)', () => {
    const client = { clientName: 'x', policyUri: 'javascript:alert(1)' }

    expect(() => aConsent({ client })).toThrow(TypeError)
  })

  test('has a form that posts to the address of the page, and whose response may lead anywhere through the client (CSP 3 §6.4.1)', () => {
    const response = aConsent()

    expect(tagsNamed(tokensOf(response), 'form')).toEqual([{ method: 'post' }])
    expect(headerOf(response, 'Content-Security-Policy')).not.toContain('form-action')
  })

  test.each(['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '</bdi></h1><form action=//evil.test>'])(
    'shows a hostile client, account and scope as text: %s',
    (hostile) => {
      const scopes = [{ name: hostile, description: hostile }]
      const tokens = tokensOf(aConsent({ client: { clientName: hostile }, accountName: hostile, scopes }))

      expect(textOf(tokens).split(hostile)).toHaveLength(4)
      expect(tagsNamed(tokens, 'input')).toMatchObject([{ value: hostile }])
      expect(['script', 'img'].flatMap((name) => tagsNamed(tokens, name))).toEqual([])
      expect(tagsNamed(tokens, 'form')).toEqual([{ method: 'post' }])
    },
  )

  test('has the host of an unverified client in the heading, and marks its name as not verified', () => {
    const client = {
      clientName: `Claude (claude.ai)${' '.repeat(500)}\u202E${'x'.repeat(100)}`,
      unverifiedHost: 'cli.test',
    }
    const text = textOf(tokensOf(aConsent({ client })))

    expect(text).toContain('cli.test wants to use your account')
    expect(text).toMatch(/It calls itself Claude \(claude\.ai\) .{1,21}…\. Nobody has verified this name/)
    expect(text).not.toContain('Any program on this device')
  })

  test('warns about an unverified client whose redirect stays on the device (RFC 8252 §8.6)', () => {
    const client = { clientName: 'Tool', unverifiedHost: 'cli.test' }
    const text = textOf(tokensOf(aConsent({ client, redirectUri: 'http://127.0.0.1:51000/cb' })))

    expect(text).toContain('Any program on this device could use this name')
  })

  test('shows names of users and payees without characters that change the writing direction', () => {
    const hostile = 'Acme\u202E\u200B Ltd'
    const response = aConsent({
      accountName: hostile,
      details: [{ id: 'd1', title: 'Pay', rows: [{ label: 'To', value: hostile }] }],
    })

    expect(bodyOf(response)).not.toMatch(/[\u200B\u202E]/u)
    expect(bodyOf(response).match(/<bdi class="name">Acme Ltd<\/bdi>/g)).toHaveLength(2)
  })

  test("renders in German, with the host's sentence for a scope that has no translation", () => {
    const scopes = [
      { name: 'email', description: 'See your email address' },
      { name: 'toString', description: 'Own' },
    ]
    const response = aConsent({ languages: [english, german], locale: 'de', scopes })

    expect(bodyOf(response)).toContain('<html lang="de" dir="ltr">')
    expect(textOf(tokensOf(response))).toContain('Ihre E-Mail-Adresse sehen')
    expect(bodyOf(response)).toContain('<bdi>Own</bdi>')
  })

  test('says that the redirect goes to a program on the device (RFC 8252 §7)', () => {
    const textFor = (redirectUri: string) => textOf(tokensOf(aConsent({ redirectUri })))

    expect(textFor('http://127.0.0.1:51000/cb')).toContain('a program on this device (127.0.0.1:51000)')
    expect(textFor('com.example.app:/cb')).toContain('identified as com.example.app')
  })
})

const denied = { decision: 'deny', grantedScopes: [] }

describe('readConsentForm', () => {
  test('reads the granted scopes', () => {
    const request = aFormRequest({ body: 'scope=openid&scope=notes%3Awrite&decision=allow' })

    expect(readConsentForm(request)).toEqual({ decision: 'allow', grantedScopes: ['openid', 'notes:write'] })
  })

  test('reads the chosen organization, unless the form has two', () => {
    const organizationOf = (body: string) => readConsentForm(aFormRequest({ body })).organization

    expect(organizationOf('scope=openid&organization=acme&decision=allow')).toBe('acme')
    expect(organizationOf('scope=openid&organization=a&organization=b&decision=allow')).toBeUndefined()
  })

  test('a denial grants nothing, whatever is checked', () => {
    expect(readConsentForm(aFormRequest({ body: 'scope=openid&scope=email&decision=deny' }))).toEqual(denied)
  })

  test.each([
    ['an empty form', { body: '' }],
    ['no decision', { body: 'scope=openid' }],
    ['two decisions', { body: 'decision=allow&decision=allow' }],
    ['a decision with a capital letter', { body: 'decision=Allow' }],
    ['a scope twice', { body: 'decision=allow&scope=email&scope=email' }],
    ['several scopes in one field (RFC 6749 §3.3)', { body: 'decision=allow&scope=openid+email' }],
    ['an empty scope', { body: 'decision=allow&scope=' }],
    ['a broken escape', { body: 'decision=allow&scope=%E0%A4' }],
    [
      'bytes that are not UTF-8',
      { body: Uint8Array.from([...new TextEncoder().encode('decision=allow&scope='), 0xff]) },
    ],
    ['more fields than a page has', { body: `decision=allow${'&a=1'.repeat(128)}` }],
    ['another media type', { body: 'decision=allow', contentType: 'text/plain' }],
    ['two media types', { body: 'decision=allow', repeatedHeaders: ['content-type'] }],
    ['a GET with a body', { body: 'decision=allow', method: 'GET' }],
  ])('treats everything but a clear approval as a denial: %s', (_, request) => {
    expect(readConsentForm(aFormRequest(request))).toEqual(denied)
  })
})

describe('authorization details on the consent page (RFC 9396)', () => {
  const payment = { id: '0', title: 'Pay <b>12</b> EUR', rows: [{ label: 'To <i>', value: '"Ltd" <u>' }] }
  const reading = { id: '1', title: 'Read an account', choices: [{ value: 'a"1', label: 'Savings <s>' }] }
  const inputsOf = (details: readonly (typeof payment | typeof reading)[]) =>
    tagsNamed(tokensOf(aConsent({ scopes: [], details })), 'input')

  test('shows each entry with its rows and choices, as text (RFC 9396 §11.1)', () => {
    const tokens = tokensOf(aConsent({ details: [payment, reading] }))

    expect(textOf(tokens)).toMatch(/It asks you to approve this:[^]*Pay <b>12<\/b> EUR[^]*To <i>: [^]*"Ltd" <u>/)
    expect(textOf(tokens)).toMatch(/Read an account[^]*Savings <s>/)
    for (const name of ['b', 'i', 'u', 's']) expect(tagsNamed(tokens, name)).toEqual([])
  })

  test('the only entry cannot be unchecked, and its choice is required', () => {
    expect(inputsOf([reading])).toEqual([
      { type: 'hidden', name: 'details', value: 'shown' },
      { type: 'hidden', name: 'detail', value: '1' },
      { type: 'radio', name: 'choice.1', value: 'a"1', required: '' },
    ])
  })

  test('each of several entries can be unchecked', () => {
    expect(inputsOf([payment, reading])).toEqual([
      { type: 'hidden', name: 'details', value: 'shown' },
      { type: 'checkbox', name: 'detail', value: '0', checked: '' },
      { type: 'checkbox', name: 'detail', value: '1', checked: '' },
      { type: 'radio', name: 'choice.1', value: 'a"1' },
    ])
  })

  test('a page without scopes, or without details, shows no empty list', () => {
    expect(textOf(tokensOf(aConsent({ scopes: [], details: [payment] })))).not.toContain('It will be able to:')
    expect(textOf(tokensOf(aConsent()))).not.toContain('approve')
  })

  test.each([
    [
      'decision=allow&details=shown&detail=0&detail=1&choice.1=a%221&choice.0=',
      [{ id: '0' }, { id: '1', choice: 'a"1' }],
    ],
    ['decision=allow&details=shown', []],
    ['decision=allow&detail=0', undefined],
    ['decision=deny&details=shown&detail=0', undefined],
  ])('readConsentForm reads the decision about the details: %s', (body, grantedDetails) => {
    expect(readConsentForm(aFormRequest({ body })).grantedDetails).toEqual(grantedDetails)
  })
})
