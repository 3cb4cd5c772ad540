import { type DoctorTarget, type Finding, endpointOf, fail, ok, warn } from './target.ts'

/** The values of `--profile`. */
export const checkedProfiles = ['mcp', 'fapi2', 'fapi2_message_signing'] as const

/**
 * Checks the requirements of a security profile for servers. The requirements for clients are checked when a client is
 * registered.
 */
export async function checkProfile(target: DoctorTarget): Promise<readonly Finding[]> {
  const { profile } = target.options
  if (profile === undefined) return []
  if (profile === 'mcp') return modelContextProtocolFindings(target)
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
    demand('profile.https', issuer.startsWith('https:') || isLoopback, {
      kept: 'The issuer uses https or is on this machine.',
      broken: 'The issuer does not use https.',
      fix: 'Configure an https issuer, and serve it with a certificate.',
    }),
    // RFC 8414 §3.1: the well-known path is inserted between the host and the path.
    demand('profile.metadata', answer?.status === 200 && answer.json?.['issuer'] === issuer, {
      kept: 'MCP clients find the metadata.',
      broken: `${origin}/.well-known/oauth-authorization-server${path} does not serve the metadata.`,
      fix: 'Have the proxy forward this path to Mintmark.',
    }),
    demand('profile.public_clients', has(metadata['token_endpoint_auth_methods_supported'], ['none']), {
      kept: 'Public clients are supported.',
      broken: 'Public clients are not in the metadata.',
      fix: 'Do not rewrite the metadata in a proxy.',
    }),
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
  demand('profile.pkce', has(metadata['code_challenge_methods_supported'], ['S256']), {
    kept: 'PKCE with S256 is supported.',
    broken: 'PKCE with S256 is not in the metadata.',
    fix: 'Do not rewrite the metadata in a proxy.',
  }),
  demand('profile.iss', metadata['authorization_response_iss_parameter_supported'] === true, {
    kept: 'Responses name the issuer.',
    broken: 'Responses do not name the issuer (RFC 9207).',
    fix: 'Do not rewrite the metadata in a proxy.',
  }),
]

async function fapiFindings(target: DoctorTarget): Promise<readonly Finding[]> {
  const { metadata, options, issuer } = target
  return [
    // FAPI 2.0 SP §5.2.1.
    demand('profile.https', issuer.startsWith('https:'), {
      kept: 'The issuer uses https.',
      broken: 'The issuer does not use https.',
      fix: 'Configure an https issuer, and serve it with a certificate.',
    }),
    // FAPI 2.0 SP §5.3.2.2.
    demand('profile.pushed', await servesPushedRequests(target), {
      kept: 'Requests can be pushed.',
      broken: 'The endpoint for pushed requests does not respond as required.',
      fix: 'Have the proxy forward /auth/push to Mintmark.',
    }),
    demand('profile.push_required', metadata['require_pushed_authorization_requests'] === true, {
      kept: 'Requests must be pushed.',
      broken: 'Requests need not be pushed.',
      fix: `Set minimumProfile to ${options.profile}.`,
    }),
    // FAPI 2.0 SP §5.3.2.1.
    demand('profile.authentication', has(metadata['token_endpoint_auth_methods_supported'], strongMethods), {
      kept: 'Clients can authenticate with a key.',
      broken: 'No authentication method uses a key of the client.',
      fix: 'Register clients with private_key_jwt.',
    }),
    demand('profile.sender', canBindTokens(metadata), {
      kept: 'Access tokens can be bound to a key of the client.',
      broken: 'Access tokens cannot be bound to a key of the client.',
      fix: 'Use a version with DPoP (RFC 9449) or mutual TLS (RFC 8705).',
    }),
    ...algorithmFindings(metadata),
    ...codeFindings(metadata),
  ]
}

/** FAPI 2.0 MS §5.3, §5.4. */
const signingFindings = (metadata: DoctorTarget['metadata']): readonly Finding[] => [
  demand('profile.signed_requests', metadata['request_parameter_supported'] === true, {
    kept: 'Requests can be signed.',
    broken: 'Requests cannot be signed.',
    fix: 'Do not rewrite the metadata in a proxy.',
  }),
  demand('profile.signed_responses', has(metadata['response_modes_supported'], ['jwt']), {
    kept: 'Responses can be signed.',
    broken: 'Responses cannot be signed.',
    fix: 'Do not rewrite the metadata in a proxy.',
  }),
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
    demand('profile.algorithms', lists.length > 0 && without.length === 0, {
      kept: `Every list of algorithms has one of ${permitted.join(', ')}.`,
      broken: `These lists have none of ${permitted.join(', ')}: ${without.join(', ')}.`,
      fix: 'Add ES256 to the algorithms of the key ring.',
    }),
  ]
}

const canBindTokens = (metadata: DoctorTarget['metadata']): boolean =>
  has(metadata['dpop_signing_alg_values_supported'], permitted) ||
  metadata['tls_client_certificate_bound_access_tokens'] === true

function has(list: unknown, alternatives: readonly string[]): boolean {
  return Array.isArray(list) && alternatives.some((value) => list.includes(value))
}

const demand = (
  check: string,
  isKept: boolean,
  { kept, broken, fix }: { readonly kept: string; readonly broken: string; readonly fix: string },
): Finding => (isKept ? ok(check, kept) : fail(check, broken, fix))

const permitted = ['PS256', 'ES256', 'EdDSA', 'Ed25519']

const strongMethods = ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth']
