import { describe, expect, it } from 'vitest'

import { refusals, refuse, renderAccessRefusal, type AccessRefusalReason, type AccessRefusedError } from './refusals.ts'

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

describe('the response to a refused request', () => {
  it('is 401 without an error code when there is no token (RFC 6750 §3.1)', () => {
    const { status, challenge, body } = render(refuse('bearer_missing'))

    expect([status, challenge, body]).toEqual([401, `Bearer ${rest}`, {}])
  })

  it('always has a parameter in the challenge (RFC 6750 §3)', () => {
    const { headers } = renderAccessRefusal(refuse('bearer_missing'), { scopes: [], metadataUrl: undefined })

    expect(headers['WWW-Authenticate']).toBe('Bearer realm="api"')
  })

  it('is 401 invalid_token for an invalid token, whatever is wrong with it (RFC 6750 §3.1)', () => {
    const answers = (['token_expired', 'token_signature', 'token_audience', 'token_revoked'] as const).map((reason) =>
      render(refuse(reason)),
    )

    for (const { status, challenge, body } of answers) {
      expect([status, challenge]).toEqual([
        401,
        `Bearer error="invalid_token", error_description="The access token is not valid.", ${rest}`,
      ])
      expect(body).toEqual({ error: 'invalid_token', error_description: 'The access token is not valid.' })
    }
  })

  it('is 403 insufficient_scope with the required scope (RFC 6750 §3.1)', () => {
    const { status, challenge } = render(refuse('scope_missing'))

    expect(status).toBe(403)
    expect(challenge).toContain('error="insufficient_scope"')
    expect(challenge).toContain('scope="orders.read orders.write"')
  })

  it('is 400 invalid_request for two tokens (RFC 6750 §3.1)', () => {
    const { status, challenge } = render(refuse('bearer_twice'))

    expect([status, challenge?.includes('error="invalid_request"')]).toEqual([400, true])
  })

  it('is 503 with Retry-After and without a challenge when the authorization server is down (RFC 9110 §15.6.4)', () => {
    const { status, challenge, headers, body } = render(
      refuse('authorization_server_unavailable', { cause: new Error('secret detail') }),
    )

    expect([status, challenge, headers['Retry-After']]).toEqual([503, undefined, '5'])
    expect(JSON.stringify(body)).not.toContain('secret detail')
  })

  it('is never cached, for any reason (RFC 6750 §5.3)', () => {
    for (const reason of Object.keys(refusals) as readonly AccessRefusalReason[]) {
      expect(render(refuse(reason)).headers['Cache-Control']).toBe('no-store')
    }
  })
})
