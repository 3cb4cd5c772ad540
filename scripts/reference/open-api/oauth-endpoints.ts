import { inQuery, schemaRef, type Answer, type Field, type PublishedEndpoint } from './published-endpoint.ts'

/**
 * Every endpoint of the authorization server.
 * @param published what the server's own metadata says: `grant_types_supported` and the like.
 */
export function oauthEndpoints(published: Readonly<Record<string, readonly string[]>>): readonly PublishedEndpoint[] {
  const oneOf = (name: string): Pick<Field, 'schema'> => ({
    schema: { type: 'string', enum: [...(published[name] ?? [])] },
  })
  const asked: readonly Field[] = [
    { name: 'response_type', required: true, ...oneOf('response_types_supported'), description: 'RFC 6749 §4.1.1.' },
    { name: 'client_id', required: true, description: 'The client that asks.' },
    {
      name: 'redirect_uri',
      required: true,
      description: 'Where the answer goes, as it was registered; on loopback with any port (RFC 8252 §7.3).',
    },
    {
      name: 'scope',
      required: true,
      description: 'Scope values with spaces between them, at least one that the server knows.',
    },
    { name: 'state', description: 'Comes back as it is: at most 1024 bytes.' },
    {
      name: 'code_challenge',
      description:
        'SHA-256 of the verifier in base64url (RFC 7636 §4.2). Required, but for clients named in `dangerouslyAllowMissingPkceFor`.',
    },
    { name: 'code_challenge_method', ...oneOf('code_challenge_methods_supported'), description: 'RFC 7636 §4.3.' },
    { name: 'resource', description: 'The API that access tokens are for; may come several times (RFC 8707 §2).' },
    { name: 'response_mode', ...oneOf('response_modes_supported'), description: 'How the answer travels.' },
    { name: 'nonce', description: 'Stands in the ID token (OIDC Core §3.1.2.1).' },
    {
      name: 'prompt',
      description: `What may be asked, or must: ${(published['prompt_values_supported'] ?? []).join(', ')} (OIDC Core §3.1.2.1).`,
    },
    {
      name: 'max_age',
      schema: { type: 'integer', minimum: 0 },
      description: 'Seconds since the last sign-in, at most.',
    },
    { name: 'login_hint', description: 'Handed to the login page.' },
    { name: 'id_token_hint', description: 'Who is meant to be there.' },
    { name: 'acr_values', description: 'Which kinds of sign-in are wished for.' },
    { name: 'claims', description: 'Which claims are wished for, as JSON (OIDC Core §5.5).' },
    { name: 'ui_locales', description: 'Which languages the person reads.' },
  ]
  const goesOn: Readonly<Record<number, Answer>> = {
    200: {
      description: 'With `form_post`: a page that posts `code`, `state` and `iss` to the client.',
      content: [{ mediaType: 'text/html', schema: { type: 'string' } }],
    },
    303: {
      description:
        'To the login or consent page, or to the client with `code`, `state` and `iss` (RFC 9207), or with `error`.',
    },
  }
  const clients = (published['token_endpoint_auth_methods_supported'] ?? []).filter((method) => method !== 'none')

  return [
    endpoint('GET', '/auth', {
      standard: 'RFC 6749 §4.1.1, OIDC Core §3.1.2.1',
      summary: 'Asks a person to let a client in.',
      parameters: asked.map(inQuery),
      answers: goesOn,
    }),
    endpoint('POST', '/auth', {
      standard: 'OIDC Core §3.1.2.1',
      summary: 'The same, for requests that are too long for an address.',
      form: asked,
      answers: goesOn,
    }),
    endpoint('POST', '/token', {
      standard: 'RFC 6749 §3.2',
      summary: "Gives tokens for a code, a refresh token, or a client's own credentials.",
      security: clients,
      form: [
        {
          name: 'grant_type',
          required: true,
          ...oneOf('grant_types_supported'),
          description: "Grants of the host's own have further names and parameters.",
        },
        ...grantFields,
      ],
      answers: { 200: json('Tokens.', 'Tokens') },
    }),
    endpoint('POST', '/token/introspection', {
      standard: 'RFC 7662 §2, RFC 9701',
      summary:
        'Describes a token to whom it was issued, or is meant for. Signed, for `Accept: application/token-introspection+jwt`.',
      security: clients,
      form: [token, hint],
      answers: {
        200: {
          description: 'What it says, or `active: false`.',
          content: [
            { mediaType: 'application/json', schema: schemaRef('Introspection') },
            { mediaType: 'application/token-introspection+jwt', schema: { type: 'string' } },
          ],
        },
      },
    }),
    endpoint('POST', '/token/revocation', {
      standard: 'RFC 7009 §2',
      summary: 'Ends a token; with a refresh token, all that came of it.',
      security: clients,
      form: [token, hint, { name: 'client_id', description: 'For public clients.' }],
      answers: { 200: { description: 'Whatever was found: it is not honoured any more.' } },
    }),
    endpoint('POST', '/token/revocation-feed', {
      standard: 'Mintmark; in the metadata as revocation_feed_endpoint',
      summary:
        'Tells a resource server what has ended since it asked last. There only with the option `revocationFeed`.',
      security: clients,
      form: [
        {
          name: 'nonce',
          required: true,
          description: '16 to 128 letters, digits, `_` and `-`, which the answer repeats.',
        },
        { name: 'cursor', description: 'The `cursor` of the answer before.' },
        {
          name: 'wait',
          schema: { type: 'integer', minimum: 0 },
          description: 'Seconds, at most 20, for which the answer may be kept back until there is something to say.',
        },
      ],
      answers: {
        200: {
          description: 'A JWT with `cursor`, `covers_after`, `more` and `ended`.',
          content: [{ mediaType: 'application/revocation-feed+jwt', schema: { type: 'string' } }],
        },
      },
    }),
    ...(['GET', 'POST'] as const).map((method) =>
      endpoint(method, '/userinfo', {
        standard: 'OIDC Core §5.3, RFC 6750',
        summary: 'The claims about the person that the granted scopes open.',
        security: ['bearer'],
        answers: {
          200: {
            description: 'Claims; as a JWT for clients registered with `userinfo_signed_response_alg`.',
            content: [
              { mediaType: 'application/json', schema: schemaRef('Claims') },
              { mediaType: 'application/jwt', schema: { type: 'string' } },
            ],
          },
        },
      }),
    ),
    endpoint('GET', '/jwks', {
      standard: 'RFC 7517 §5',
      summary: 'The public keys. They may be kept for five minutes.',
      parameters: [unlessChanged],
      answers: { 200: json('A key set.', 'KeySet'), 304: { description: 'As it was.' } },
    }),
    ...['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'].map((path) =>
      endpoint('GET', path, {
        standard: path.endsWith('openid-configuration') ? 'OIDC Discovery §4' : 'RFC 8414 §3',
        summary: 'What the server can do, and where. They may be kept for five minutes.',
        parameters: [unlessChanged],
        answers: { 200: json('Metadata.', 'Metadata'), 304: { description: 'As it was.' } },
      }),
    ),
  ]
}

type Details = Pick<PublishedEndpoint, 'standard' | 'summary' | 'answers'> & Partial<PublishedEndpoint>

const endpoint = (method: PublishedEndpoint['method'], path: string, details: Details): PublishedEndpoint => ({
  method,
  path,
  group: path.startsWith('/.well-known') || path === '/jwks' ? 'discovery' : 'tokens',
  security: [],
  ...details,
})

const json = (description: string, schema: string): Answer => ({
  description,
  content: [{ mediaType: 'application/json', schema: schemaRef(schema) }],
})

const token: Field = { name: 'token', required: true, description: 'An access token or a refresh token.' }
const hint: Field = { name: 'token_type_hint', description: "Accepted and not needed: a token's form says what it is." }
const unlessChanged = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of the copy at hand (RFC 9110 §13.1.2).',
} as const

const grantFields: readonly Field[] = [
  { name: 'code', description: 'With `authorization_code`.' },
  { name: 'redirect_uri', description: 'With `authorization_code`: that of the authorization request.' },
  { name: 'code_verifier', description: 'With `authorization_code`: RFC 7636 §4.5.' },
  { name: 'refresh_token', description: 'With `refresh_token`.' },
  {
    name: 'scope',
    description:
      'With `refresh_token` and `client_credentials`: fewer scope values than were granted, or are registered.',
  },
  { name: 'resource', description: 'The API that the access token is for; may come several times (RFC 8707 §2).' },
  { name: 'client_id', description: 'For public clients, and for `client_secret_post`.' },
  { name: 'client_secret', description: 'For `client_secret_post`.' },
  { name: 'client_assertion_type', description: 'For `private_key_jwt`: RFC 7523 §2.2.' },
  { name: 'client_assertion', description: 'For `private_key_jwt`: RFC 7523 §2.2.' },
]
