import { describe, expect, it } from 'vitest'

import { AccessRefusedError, invalidToken, unavailable } from './access-refusal.ts'
import { renderAccessRefusal } from './render-access-refusal.ts'

const details = {
  scopes: ['orders.read', 'orders.write'],
  metadataUrl: 'https://api.test/.well-known/oauth-protected-resource',
}
const rest =
  'scope="orders.read orders.write", resource_metadata="https://api.test/.well-known/oauth-protected-resource"'

const render = (refusal: AccessRefusedError) => {
  const { status, headers, body } = renderAccessRefusal(refusal, details)
  return { status, challenge: headers['WWW-Authenticate'], body: JSON.parse(body) as unknown, headers }
}

describe('the answer to a request that gets no access', () => {
  it('RFC 6750 §3.1: without a token it is a 401 that says nothing of an error', () => {
    const { status, challenge, body } = render(invalidToken('bearer_missing'))

    expect([status, challenge, body]).toEqual([401, `Bearer ${rest}`, {}])
  })

  it('RFC 6750 §3: the challenge has a parameter also where there is nothing to say', () => {
    const { headers } = renderAccessRefusal(invalidToken('bearer_missing'), { scopes: [], metadataUrl: undefined })

    expect(headers['WWW-Authenticate']).toBe('Bearer realm="api"')
  })

  it('RFC 6750 §3.1: a token that is not good is 401 invalid_token, whatever is wrong with it', () => {
    const answers = (['token_expired', 'token_signature', 'token_audience', 'token_ended'] as const).map((reason) =>
      render(invalidToken(reason)),
    )

    for (const { status, challenge, body } of answers) {
      expect([status, challenge]).toEqual([
        401,
        `Bearer error="invalid_token", error_description="The access token is not valid.", ${rest}`,
      ])
      expect(body).toEqual({ error: 'invalid_token', error_description: 'The access token is not valid.' })
    }
  })

  it('RFC 6750 §3.1: a token without the scope is 403 insufficient_scope, with the scope that is needed', () => {
    const { status, challenge } = render(new AccessRefusedError('insufficient_scope', 'scope_missing'))

    expect(status).toBe(403)
    expect(challenge).toContain('error="insufficient_scope"')
    expect(challenge).toContain('scope="orders.read orders.write"')
  })

  it('RFC 6750 §3.1: two tokens are 400 invalid_request', () => {
    const { status, challenge } = render(new AccessRefusedError('invalid_request', 'bearer_twice'))

    expect([status, challenge?.includes('error="invalid_request"')]).toEqual([400, true])
  })

  it('RFC 9110 §15.6.4: an authorization server that is down is 503 with Retry-After, and no challenge', () => {
    const { status, challenge, headers, body } = render(unavailable(new Error('secret detail')))

    expect([status, challenge, headers['Retry-After']]).toEqual([503, undefined, '5'])
    expect(JSON.stringify(body)).not.toContain('secret detail')
  })

  it('RFC 6750 §5.3: no answer is kept', () => {
    for (const code of ['invalid_request', 'invalid_token', 'insufficient_scope', 'temporarily_unavailable'] as const) {
      expect(render(new AccessRefusedError(code, 'token_type')).headers['Cache-Control']).toBe('no-store')
    }
  })
})
