import { ipsieFindings } from './check-ipsie.ts'
import { type DoctorTarget, type Finding, endpointOf, fail, ok, warn } from './target.ts'

/** The values of `--profile`. */
export const checkedProfiles = ['mcp', 'fapi2', 'fapi2_message_signing', 'ipsie'] as const

/**
 * Checks the requirements of a security profile for servers. The requirements for clients are checked when a client is
 * registered.
 */
export async function checkProfile(target: DoctorTarget): Promise<readonly Finding[]> {
  const { profile } = target.options
  if (profile === undefined) return []
  if (profile === 'mcp') return modelContextProtocolFindings(target)
  if (profile === 'ipsie') {
    const { issuer, metadata } = target
    return [
      httpsFinding(issuer),
      ...algorithmFindings(metadata),
      ...codeFindings(metadata),
      ...(await ipsieFindings(target)),
    ]
  }
  const findings = await fapiFindings(target)
  return profile === 'fapi2' ? findings : [...findings, ...signingFindings(target.metadata)]
}

/** Checks the requirements of the Model Context Protocol of 2026-07-28, Authorization. */
async function modelContextProtocolFindings(target: DoctorTarget): Promise<readonly Finding[]> {
  const { metadata, issuer, probe } = target
  const { origin, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname
  const answer = await probe(`${origin}/.well-known/oauth-authorization-server${path}`)
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(issuer).hostname)
  return [
    issuer.startsWith('https:') || isLoopback
      ? ok('profile.https', 'The issuer uses https or is on this machine.')
      : fail(
          'profile.https',
          'The issuer does not use https.',
          'Configure an https issuer, and serve it with a certificate.',
        ),
    // RFC 8414 §3.1: the well-known path is inserted between the host and the path.
    answer?.status === 200 && answer.json?.['issuer'] === issuer
      ? ok('profile.metadata', 'MCP clients find the metadata.')
      : fail(
          'profile.metadata',
          `${origin}/.well-known/oauth-authorization-server${path} does not serve the metadata.`,
          'Have the proxy forward this path to Mintmark.',
        ),
    has(metadata['token_endpoint_auth_methods_supported'], ['none'])
      ? ok('profile.public_clients', 'Public clients are supported.')
      : fail(
          'profile.public_clients',
          'Public clients are not in the metadata.',
          'Do not rewrite the metadata in a proxy.',
        ),
    ...codeFindings(metadata),
    metadata['client_id_metadata_document_supported'] === true || typeof metadata['registration_endpoint'] === 'string'
      ? ok('profile.clients', 'Clients can describe or register themselves.')
      : warn(
          'profile.clients',
          'Only clients that an administrator registered can connect.',
          'Turn clientDocuments on, unless this is intended.',
        ),
  ]
}

/** Checks the requirements of all profiles for the authorization code grant. */
const codeFindings = (metadata: DoctorTarget['metadata']): readonly Finding[] => [
  // FAPI 2.0 SP §5.3.2.2.
  has(metadata['code_challenge_methods_supported'], ['S256'])
    ? ok('profile.pkce', 'PKCE with S256 is supported.')
    : fail('profile.pkce', 'PKCE with S256 is not in the metadata.', 'Do not rewrite the metadata in a proxy.'),
  metadata['authorization_response_iss_parameter_supported'] === true
    ? ok('profile.iss', 'Responses name the issuer.')
    : fail('profile.iss', 'Responses do not name the issuer (RFC 9207).', 'Do not rewrite the metadata in a proxy.'),
]

/** FAPI 2.0 SP §5.2.1, and the Common Requirements of IPSIE. */
const httpsFinding = (issuer: string): Finding =>
  issuer.startsWith('https:')
    ? ok('profile.https', 'The issuer uses https.')
    : fail(
        'profile.https',
        'The issuer does not use https.',
        'Configure an https issuer, and serve it with a certificate.',
      )

async function fapiFindings(target: DoctorTarget): Promise<readonly Finding[]> {
  const { metadata, options, issuer } = target
  return [
    httpsFinding(issuer),
    // FAPI 2.0 SP §5.3.2.2.
    (await servesPushedRequests(target))
      ? ok('profile.pushed', 'Requests can be pushed.')
      : fail(
          'profile.pushed',
          'The endpoint for pushed requests does not respond as required.',
          'Have the proxy forward /auth/push to Mintmark.',
        ),
    metadata['require_pushed_authorization_requests'] === true
      ? ok('profile.push_required', 'Requests must be pushed.')
      : fail('profile.push_required', 'Requests need not be pushed.', `Set minimumProfile to ${options.profile}.`),
    // FAPI 2.0 SP §5.3.2.1.
    has(metadata['token_endpoint_auth_methods_supported'], strongMethods)
      ? ok('profile.authentication', 'Clients can authenticate with a key.')
      : fail(
          'profile.authentication',
          'No authentication method uses a key of the client.',
          'Register clients with private_key_jwt.',
        ),
    canBindTokens(metadata)
      ? ok('profile.sender', 'Access tokens can be bound to a key of the client.')
      : fail(
          'profile.sender',
          'Access tokens cannot be bound to a key of the client.',
          'Use a version with DPoP (RFC 9449) or mutual TLS (RFC 8705).',
        ),
    ...algorithmFindings(metadata),
    ...codeFindings(metadata),
  ]
}

/** FAPI 2.0 MS §5.3, §5.4. */
const signingFindings = (metadata: DoctorTarget['metadata']): readonly Finding[] => [
  metadata['request_parameter_supported'] === true
    ? ok('profile.signed_requests', 'Requests can be signed.')
    : fail('profile.signed_requests', 'Requests cannot be signed.', 'Do not rewrite the metadata in a proxy.'),
  has(metadata['response_modes_supported'], ['jwt'])
    ? ok('profile.signed_responses', 'Responses can be signed.')
    : fail('profile.signed_responses', 'Responses cannot be signed.', 'Do not rewrite the metadata in a proxy.'),
]

/** Whether the endpoint refuses a pushed request without client authentication with a JSON error (RFC 9126 §2.3). */
async function servesPushedRequests(target: DoctorTarget): Promise<boolean> {
  const { metadata, probe } = target
  if (typeof metadata['pushed_authorization_request_endpoint'] !== 'string') return false
  const url = endpointOf(target, 'pushed_authorization_request_endpoint', '/auth/push')
  const answer = await probe(url, { method: 'POST', body: new URLSearchParams({ response_type: 'code' }) })
  return answer?.status === 401 && answer.json?.['error'] === 'invalid_client'
}

/** Checks that each list of signing algorithms has one that the profile permits (FAPI 2.0 SP §5.4.1). */
function algorithmFindings(metadata: DoctorTarget['metadata']): readonly Finding[] {
  const lists = Object.keys(metadata).filter(
    (name) => name.endsWith('_signing_alg_values_supported') && Array.isArray(metadata[name]),
  )
  const without = lists.filter((name) => !has(metadata[name], permitted))
  return [
    lists.length > 0 && without.length === 0
      ? ok('profile.algorithms', `Every list of algorithms has one of ${permitted.join(', ')}.`)
      : fail(
          'profile.algorithms',
          `These lists have none of ${permitted.join(', ')}: ${without.join(', ')}.`,
          'Add ES256 to the algorithms of the key ring.',
        ),
  ]
}

const canBindTokens = (metadata: DoctorTarget['metadata']): boolean =>
  has(metadata['dpop_signing_alg_values_supported'], permitted) ||
  metadata['tls_client_certificate_bound_access_tokens'] === true

function has(list: unknown, alternatives: readonly string[]): boolean {
  return Array.isArray(list) && alternatives.some((value) => list.includes(value))
}

const permitted = ['PS256', 'ES256', 'EdDSA', 'Ed25519']

const strongMethods = ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth']
