import { describe, expect, test } from 'vitest'
import { aFormRequest } from '../test/a-request.ts'
import { readConsentForm } from './consent-form.ts'

const denied = { decision: 'deny', grantedScopes: [] }

describe('readConsentForm', () => {
  test('reads the granted scopes', () => {
    const request = aFormRequest({ body: 'scope=openid&scope=notes%3Awrite&decision=allow' })

    expect(readConsentForm(request)).toEqual({ decision: 'allow', grantedScopes: ['openid', 'notes:write'] })
  })

  test('a denial grants nothing, whatever is checked', () => {
    expect(readConsentForm(aFormRequest({ body: 'scope=openid&scope=email&decision=deny' }))).toEqual(denied)
  })

  test.each([
    ['an empty form', { body: '' }],
    ['no decision', { body: 'scope=openid' }],
    ['two decisions', { body: 'decision=allow&decision=allow' }],
    ['a decision in other letters', { body: 'decision=Allow' }],
    ['a scope twice', { body: 'decision=allow&scope=email&scope=email' }],
    ['several scopes in one (RFC 6749 §3.3)', { body: 'decision=allow&scope=openid+email' }],
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
  ])('treats everything but a clear yes as a denial: %s', (_, request) => {
    expect(readConsentForm(aFormRequest(request))).toEqual(denied)
  })
})
